"""The table of op kinds. Each writes statements through a Maker, or raises Skip."""

TABLE = {}  # name -> (weight, write)


def kind(name, weight=1.0):
    def add(write):
        TABLE[name] = weight, write
        return write

    return add
