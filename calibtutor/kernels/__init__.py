"""Kernels, their matrices, and features that stand for them.

`families` makes them, in four bandwidth conventions; `matrix` asks any kernel for entries, checked; `finite_rank` has
low rank with a certificate, landmarks and Fourier features. The helpers return scikit-learn kernel objects, and load
scikit-learn only then. Any callable ``k(X, Y=None) -> matrix`` works in their place.
"""

from ..door.arrays import as_rows  # what a kernel sees
from .families import laplacian, linear_plus_gaussian, median_bandwidth, rbf
from .finite_rank import Landmarks, LowRank, fourier_features, landmarks, low_rank
from .matrix import entries, kernel_diagonal, paired, slices
