"""Unpacked bytes of a file in bounded memory, whatever its packing; the packing is told by magic bytes, never by name.

Plain, gzip, bzip2, xz, lzma (alone) and 7z. All that can be unpacked before a fault is yielded before `PackedFault` is
raised, so that a damaged dump loses only what lies behind the damage. Output comes in pieces of about `PIECE_BYTES`
even where a few packed kilobytes hold gigabytes.
"""

from __future__ import annotations

import bz2
import lzma
import queue
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path

PIECE_BYTES = 1 << 20
_READ_BYTES = 1 << 16
_QUEUE_PIECES = 8

_LZMA_DICTIONARY_SIZES = {1 << n for n in range(12, 31)} | {3 << n for n in range(11, 30)} | {0xFFFFFFFF}


class PackedFault(Exception):
    """The packed file is damaged, cut off, or of a packing that cannot be read. The text says which and where."""


def packing(head: bytes) -> str:
    """Name of the packing from a file's first bytes (13 are enough): plain, gzip, bzip2, xz, lzma, 7z, zstd or zip."""
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head.startswith(b"BZh") and head[3:4].isdigit():
        return "bzip2"
    if head.startswith(b"\xfd7zXZ\x00"):
        return "xz"
    if head.startswith(b"7z\xbc\xaf\x27\x1c"):
        return "7z"
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return "zstd"
    if head.startswith(b"PK\x03\x04"):
        return "zip"
    # An lzma file has no magic: properties byte below 225, then a dictionary size that encoders really write.
    if len(head) >= 13 and head[0] < 225 and int.from_bytes(head[1:5], "little") in _LZMA_DICTIONARY_SIZES:
        size = int.from_bytes(head[5:13], "little")
        if size == 0xFFFFFFFFFFFFFFFF or size < 1 << 46:
            return "lzma"
    return "plain"


def open_stream(path: Path) -> Iterator[bytes]:
    """Pieces of the unpacked content. Raises PackedFault at damage, after all that came before it."""
    with path.open("rb") as file:
        head = file.read(16)
    kind = packing(head)
    if kind in ("zstd", "zip"):
        raise PackedFault(f"{path.name} is packed with {kind}, which is not read: unpack it, or pack it with bzip2, gzip, xz or 7z")
    if kind == "7z":
        return _seven_zip(path)
    if kind == "plain":
        return _plain(path)
    return _unpacked(path, kind)


def first_bytes(path: Path, count: int) -> bytes:
    """The first `count` unpacked bytes (fewer where the file is shorter or damaged)."""
    out = bytearray()
    try:
        stream = open_stream(path)
        for piece in stream:
            out += piece
            if len(out) >= count:
                stream.close()
                break
    except PackedFault:
        pass
    return bytes(out[:count])


def _plain(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


class _Gzip:
    """zlib's decompressor with the surface of bz2's and lzma's."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(wbits=47)
        self._rest = b""
        self._full = False

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._rest and not self._full

    def decompress(self, data: bytes, max_length: int) -> bytes:
        out = self._zlib.decompress(self._rest + data, max_length)
        self._rest = self._zlib.unconsumed_tail
        self._full = len(out) == max_length
        return out


_MAKERS = {
    "gzip": _Gzip,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ),
    "lzma": lambda: lzma.LZMADecompressor(lzma.FORMAT_ALONE),
}


def _unpacked(path: Path, kind: str) -> Iterator[bytes]:
    """Concatenated streams are read on (multistream dumps); what follows the last stream and is not one is ignored."""
    make = _MAKERS[kind]
    with path.open("rb") as file:
        unpacker, data, streams = make(), file.read(_READ_BYTES), 0
        while True:
            try:
                piece = unpacker.decompress(data, PIECE_BYTES)
            except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError) as error:
                raise PackedFault(f"{path.name}: {kind} data is damaged before byte {file.tell()}: {error}") from None
            data = b""
            if piece:
                yield piece
            if unpacker.eof:
                data = unpacker.unused_data or file.read(_READ_BYTES)
                streams += 1
                while data and not data.strip(b"\x00"):
                    data = file.read(_READ_BYTES)
                data = data.lstrip(b"\x00")
                if len(data) < 16:
                    data += file.read(_READ_BYTES)
                if not data or packing(data[:16]) != kind or kind == "lzma":
                    return
                unpacker = make()
            elif unpacker.needs_input:
                data = file.read(_READ_BYTES)
                if not data:
                    raise PackedFault(f"{path.name}: {kind} data is cut off at byte {file.tell()}")


def _seven_zip(path: Path) -> Iterator[bytes]:
    """The archive's first file. py7zr pushes pieces: a thread runs it, and a bounded queue holds it back."""
    import py7zr
    from py7zr.io import Py7zIO, WriterFactory

    pieces: queue.Queue = queue.Queue(_QUEUE_PIECES)
    stopped = threading.Event()

    class Stopped(Exception):
        pass

    def put(item) -> None:
        while not stopped.is_set():
            try:
                pieces.put(item, timeout=0.2)
                return
            except queue.Full:
                continue
        raise Stopped

    class Pipe(Py7zIO):
        def __init__(self) -> None:
            self._count = 0

        def write(self, s) -> int:
            put(bytes(s))
            self._count += len(s)
            return len(s)

        def read(self, size=None) -> bytes:
            return b""

        def seek(self, offset, whence=0) -> int:
            return 0

        def flush(self) -> None:
            return None

        def size(self) -> int:
            return self._count

    class Pipes(WriterFactory):
        def create(self, filename: str) -> Py7zIO:
            return Pipe()

    def push() -> None:
        end = None
        try:
            with py7zr.SevenZipFile(path, "r") as archive:
                names = [item.filename for item in archive.list() if not item.is_directory]
                if not names:
                    raise PackedFault(f"{path.name}: the 7z archive holds no file")
                archive.extract(targets=names[:1], factory=Pipes())
                if len(names) > 1:
                    end = PackedFault(f"{path.name}: the 7z archive holds {len(names)} files and the first was read: unpack the others")
        except Stopped:
            return
        except PackedFault as error:
            end = error
        except Exception as error:  # py7zr lets errors of many libraries through
            end = PackedFault(f"{path.name}: 7z data is damaged: {type(error).__name__}: {error}")
        try:
            put(end)
        except Stopped:
            return

    thread = threading.Thread(target=push, name="unpack-7z", daemon=True)
    thread.start()
    try:
        while isinstance(item := pieces.get(), bytes):
            for at in range(0, len(item), PIECE_BYTES):
                yield item[at : at + PIECE_BYTES]
        if item is not None:
            raise item
    finally:
        stopped.set()
        thread.join()
