"""tf.compat.v1.gfile: tf.io.gfile by version 1's names."""

from __future__ import annotations as _annotations

from ...io import gfile as _gfile
from ...io.gfile import GFile as GFile

FastGFile = Open = GFile
Copy = _gfile.copy
DeleteRecursively = _gfile.rmtree
Exists = _gfile.exists
Glob = _gfile.glob
IsDirectory = _gfile.isdir
ListDirectory = _gfile.listdir
MakeDirs = _gfile.makedirs
MkDir = _gfile.mkdir
Remove = _gfile.remove
Rename = _gfile.rename
Stat = _gfile.stat
Walk = _gfile.walk
