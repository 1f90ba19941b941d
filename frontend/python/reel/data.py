"""Data to train on: pipelines of steps over files and arrays.

    data = reel.data.csv("iris.csv", label="species")
    for x, y in data.shuffle(0).batch(32).prefetch(2):
        ...

Every example is a function of the pipeline, its epoch and its place: the same bits on every machine, with and without
prefetching, and after an iterator was restored from a checkpoint.
"""

from ._core.data import *  # noqa: F401,F403
