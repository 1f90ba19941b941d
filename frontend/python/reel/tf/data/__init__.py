"""tf.data: datasets, made of arrays, generators and other datasets; they are Python iterators underneath."""

from . import experimental as experimental
from ._dataset import Dataset as Dataset
from ._dataset import DatasetSpec as DatasetSpec
from ._dataset import Iterator as Iterator
from ._dataset import NumpyIterator as NumpyIterator
from ._dataset import Options as Options
from ._dataset import TextLineDataset as TextLineDataset
from ._dataset import ThreadingOptions as ThreadingOptions

AUTOTUNE: int = -1
INFINITE_CARDINALITY: int = -1
UNKNOWN_CARDINALITY: int = -2
