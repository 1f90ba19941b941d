"""Refused by name: Keras' datasets come from a network."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _core

if _t.TYPE_CHECKING:
    from typing import Any


class Refused:
    """A dataset of Keras that is not here: load_data says where data come from."""

    def __init__(self, name: str, advice: str) -> None:
        self._name, self._advice = name, advice

    def load_data(self, *args: Any, **kwargs: Any) -> Any:
        """Refused."""
        raise _core.UnimplementedError(
            f"keras.datasets.{self._name}.load_data: nothing is fetched from a network; {self._advice}"
        )

    get_word_index = load_data


_FILES = "put the files there, and read them with reel.data or NumPy"
_MNIST = "reel.data.mnist reads a folder of its files"
mnist, fashion_mnist = Refused("mnist", _MNIST), Refused("fashion_mnist", _MNIST)
cifar10, cifar100 = Refused("cifar10", _FILES), Refused("cifar100", _FILES)
imdb, reuters = Refused("imdb", _FILES), Refused("reuters", _FILES)
boston_housing, california_housing = Refused("boston_housing", _FILES), Refused("california_housing", _FILES)
