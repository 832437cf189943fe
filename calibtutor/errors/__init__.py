"""One kernel error each, its test and its defaults; and the spectrum that all of them weigh."""
