"""Layers, whose variables are made when they are first called."""

from .._layer import InputSpec as InputSpec
from .._layer import Layer as Layer
from .._symbolic import input_tensor as Input
from ._activation import ELU as ELU
from ._activation import LeakyReLU as LeakyReLU
from ._activation import PReLU as PReLU
from ._activation import ReLU as ReLU
from ._activation import Softmax as Softmax
from ._activation import ThresholdedReLU as ThresholdedReLU
from ._attention import (
    AdditiveAttention as AdditiveAttention,
    Attention as Attention,
    MultiHeadAttention as MultiHeadAttention,
)
from ._basic import (
    Activation as Activation,
    ActivityRegularization as ActivityRegularization,
    Dense as Dense,
    EinsumDense as EinsumDense,
    Embedding as Embedding,
    Identity as Identity,
    InputLayer as InputLayer,
    Lambda as Lambda,
    Masking as Masking,
    Wrapper as Wrapper,
)
from ._cells import (
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    SimpleRNNCell as SimpleRNNCell,
    StackedRNNCells as StackedRNNCells,
)
from ._convolution import (
    Conv1D as Conv1D,
    Conv1DTranspose as Conv1DTranspose,
    Conv2D as Conv2D,
    Conv2DTranspose as Conv2DTranspose,
    Conv3D as Conv3D,
    Conv3DTranspose as Conv3DTranspose,
    Convolution1D as Convolution1D,
    Convolution1DTranspose as Convolution1DTranspose,
    Convolution2D as Convolution2D,
    Convolution2DTranspose as Convolution2DTranspose,
    Convolution3D as Convolution3D,
    Convolution3DTranspose as Convolution3DTranspose,
    DepthwiseConv1D as DepthwiseConv1D,
    DepthwiseConv2D as DepthwiseConv2D,
    SeparableConv1D as SeparableConv1D,
    SeparableConv2D as SeparableConv2D,
    SeparableConvolution1D as SeparableConvolution1D,
    SeparableConvolution2D as SeparableConvolution2D,
)
from ._merging import (
    Add as Add,
    Average as Average,
    Concatenate as Concatenate,
    Dot as Dot,
    Maximum as Maximum,
    Minimum as Minimum,
    Multiply as Multiply,
    Subtract as Subtract,
    add as add,
    average as average,
    concatenate as concatenate,
    dot as dot,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    subtract as subtract,
)
from ._noise import (
    AlphaDropout as AlphaDropout,
    Dropout as Dropout,
    GaussianDropout as GaussianDropout,
    GaussianNoise as GaussianNoise,
    SpatialDropout1D as SpatialDropout1D,
    SpatialDropout2D as SpatialDropout2D,
    SpatialDropout3D as SpatialDropout3D,
)
from ._normalization import (
    BatchNormalization as BatchNormalization,
    GroupNormalization as GroupNormalization,
    LayerNormalization as LayerNormalization,
    RMSNormalization as RMSNormalization,
    UnitNormalization as UnitNormalization,
)
from ._pooling import (
    AveragePooling1D as AveragePooling1D,
    AveragePooling2D as AveragePooling2D,
    AveragePooling3D as AveragePooling3D,
    AvgPool1D as AvgPool1D,
    AvgPool2D as AvgPool2D,
    AvgPool3D as AvgPool3D,
    GlobalAveragePooling1D as GlobalAveragePooling1D,
    GlobalAveragePooling2D as GlobalAveragePooling2D,
    GlobalAveragePooling3D as GlobalAveragePooling3D,
    GlobalAvgPool1D as GlobalAvgPool1D,
    GlobalAvgPool2D as GlobalAvgPool2D,
    GlobalAvgPool3D as GlobalAvgPool3D,
    GlobalMaxPool1D as GlobalMaxPool1D,
    GlobalMaxPool2D as GlobalMaxPool2D,
    GlobalMaxPool3D as GlobalMaxPool3D,
    GlobalMaxPooling1D as GlobalMaxPooling1D,
    GlobalMaxPooling2D as GlobalMaxPooling2D,
    GlobalMaxPooling3D as GlobalMaxPooling3D,
    MaxPool1D as MaxPool1D,
    MaxPool2D as MaxPool2D,
    MaxPool3D as MaxPool3D,
    MaxPooling1D as MaxPooling1D,
    MaxPooling2D as MaxPooling2D,
    MaxPooling3D as MaxPooling3D,
)
from ._preprocessing import (
    CategoryEncoding as CategoryEncoding,
    CenterCrop as CenterCrop,
    Discretization as Discretization,
    Normalization as Normalization,
    Rescaling as Rescaling,
    Resizing as Resizing,
)
from ._recurrent import (
    Bidirectional as Bidirectional,
    GRU as GRU,
    LSTM as LSTM,
    RNN as RNN,
    SimpleRNN as SimpleRNN,
    TimeDistributed as TimeDistributed,
)
from ._shaping import (
    Cropping1D as Cropping1D,
    Cropping2D as Cropping2D,
    Cropping3D as Cropping3D,
    Flatten as Flatten,
    Permute as Permute,
    RepeatVector as RepeatVector,
    Reshape as Reshape,
    UpSampling1D as UpSampling1D,
    UpSampling2D as UpSampling2D,
    UpSampling3D as UpSampling3D,
    ZeroPadding1D as ZeroPadding1D,
    ZeroPadding2D as ZeroPadding2D,
    ZeroPadding3D as ZeroPadding3D,
)
