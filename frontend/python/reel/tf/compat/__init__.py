"""tf.compat: v1 only, imported when it is asked for."""


def __getattr__(name):
    if name == "v1":
        import importlib

        return importlib.import_module(".v1", __name__)
    raise AttributeError(f"reel.tf.compat has no {name!r}, only v1")
