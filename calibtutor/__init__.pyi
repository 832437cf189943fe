# What editors and type checkers read: the rooms' public names (calibtutor/__init__.py loads them when first used).
from .audit import *
from .binning import *
from .ckce import *
from .corp import *
from .features import *
from .inputs import *
from .kce import *
from .kde import *
from .kernels import *
from .klce import *
from .parts import *
from .plots import *
from .predictions import *
from .recalibration import *
from .risk import *
from .selection import *
from .simplex import *
from .smooth import *
from .spectrum import *

__version__: str
