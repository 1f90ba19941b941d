"""The table of reel's functions in PyTorch's float64; programs run with it in place of reel."""

import torch

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
D = torch.float64


class Missing(Exception):
    """An op that has no twin here."""


class _Reel:
    """Stands for the module reel, or a part of it."""

    def __init__(self, table, name=""):
        self._table, self._name = table, name

    def __getattr__(self, name):
        if self._name + name in self._table:
            return self._table[self._name + name]
        raise Missing(self._name + name)


T = {}


def twin(*names):
    def add(f):
        for name in names:
            T[name] = f
        return f

    return add


def t(x, like=None):
    if isinstance(x, torch.Tensor):
        return x
    if isinstance(x, (list, tuple)):
        x = torch.tensor(x)
    else:
        x = torch.tensor(x, dtype=None if isinstance(x, (bool, int)) and like is None else D)
    return x


def f(x):
    x = t(x)
    return x if x.is_floating_point() else x.to(D)
