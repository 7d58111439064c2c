"""The one compiler of the house: the jit decorator, its cache, and functions passed by address.

Rules and engines are Python functions compiled by Numba. An engine never holds a game's functions: it is handed their
addresses as plain integers and turns them into callable values inside its own kernel (`as_moves` and its siblings). So
an engine is compiled once for all games, and a user's game runs at full speed without compiling any engine again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeAlias, TypeVar, overload

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.experimental.function_type import _get_wrapper_address
from numba.extending import intrinsic

from meeple.errors import MeepleError

PACKAGE = Path(__file__).parent
_CACHE_LOCK = threading.RLock()
STALE_CACHE_S = 30 * 86400

Function = TypeVar("Function", bound=Callable[..., Any])

WORDS = types.Array(types.uint64, 1, "C")
ACTIONS = types.Array(types.int32, 1, "C")
FLOATS = types.Array(types.float32, 1, "C")
COUNTS = types.Array(types.int64, 1, "C")

# What compiled functions take and give. Numba checks these types, mypy cannot: the names are for the reader.
Word: TypeAlias = Any
"""A uint64; mixed with an int64 it would become a float, so constants beside it are np.uint64 too."""
Int: TypeAlias = Any
"""An int64."""
Words: TypeAlias = Any
"""A vector of uint64: a state, or several."""
Actions: TypeAlias = Any
"""A vector of int32."""
Planes: TypeAlias = Any
"""A vector of float32."""
Counts: TypeAlias = Any
"""A vector of int64."""
Float: TypeAlias = Any
"""A float32 or a float64."""
Rule: TypeAlias = Any
"""A compiled rule that was made callable from its address."""


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """The folder of compiled code for exactly these sources.

    Numba does not notice when a helper in another file changes, so the folder is named by a digest of the package.
    """
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for source in sorted(PACKAGE.rglob("*.py")):
        digest.update(str(source.relative_to(PACKAGE)).encode())
        digest.update(source.read_bytes())
    folder = user_folder() / "kernels" / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _forget_stale(folder)
    except OSError as error:
        where = f"cannot write compiled code to {folder.parent}: {error.strerror}"
        raise MeepleError(f"{where}; MEEPLE_CACHE_DIR chooses another folder") from error
    return folder


def user_folder() -> Path:
    """The folder of what was found out on this computer and can be found out again."""
    chosen = os.environ.get("MEEPLE_CACHE_DIR")
    if chosen:
        return Path(chosen) / "meeple"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "meeple"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/meeple"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "meeple"


def is_compiled(module: str) -> bool:
    """Whether there is compiled code of a module, so that importing it does not take a while."""
    return any(cache_folder().rglob(f"{module}.*.nbi"))


def _forget_stale(current: Path) -> None:
    """Remove the compiled code of versions that nobody has used for a month."""
    os.utime(current)
    for other in current.parent.glob("[0-9a-f]" * 16):
        with suppress(FileNotFoundError):
            if time.time() - other.stat().st_mtime > STALE_CACHE_S:
                shutil.rmtree(other, ignore_errors=True)


@overload
def jit(function: Function, /) -> Function: ...
@overload
def jit(signature: Any = None, /, **options: Any) -> Callable[[Function], Function]: ...
def jit(target: Any = None, /, **options: Any) -> Any:
    """Compile a function: at once for a signature, else for the types it is first used with.

    Compiled code neither allocates nor counts references (which had cost a random game of gomoku a fifth of its time),
    so it cannot make arrays nor assign slices: `borrow` and `copy` stand in.
    """
    if callable(target) and not isinstance(target, types.Type):
        return _compile(target, None, options)
    return lambda function: _compile(function, target, options)


def _compile(function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> Any:
    options = {"nogil": True, "error_model": "numpy", "_nrt": False, **options}
    cached = Path(function.__code__.co_filename).exists() and _is_importable(function)
    with _CACHE_LOCK:  # the folder is one setting for all threads
        previous = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(cache_folder())
        try:
            return numba.njit(signature, cache=cached, **options)(_with_own_name(function))
        finally:
            numba.config.CACHE_DIR = previous


def _is_importable(function: Callable[..., Any]) -> bool:
    """Whether the function's module is at hand by its name, as Numba needs it to load compiled code."""
    home = sys.modules.get(function.__module__)
    return home is not None and vars(home) is function.__globals__


def _with_own_name(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function under a name that no other has, not even the same one around other constants.

    Numba names machine code after the function and a counter of the process that compiled it. Two closures of one
    function that come out of the cache can share both, and then one silently runs the other's code.
    """
    code = function.__code__
    source = Path(code.co_filename)
    digest = hashlib.sha256(f"{source} {_times(source)}".encode())
    for cell in function.__closure__ or ():
        digest.update(_fingerprint(cell.cell_contents))
    own = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    own.__qualname__ = f"{function.__qualname__}.{digest.hexdigest()[:12]}"
    own.__module__, own.__doc__ = function.__module__, function.__doc__
    return own


@lru_cache(maxsize=256)
def _times(source: Path) -> list[int]:
    """When a user's file and those beside it, from which it may import, were last changed."""
    if source.is_relative_to(PACKAGE) or not source.exists():
        return []
    return sorted(beside.stat().st_mtime_ns for beside in source.parent.glob("*.py"))


def _fingerprint(value: Any) -> bytes:
    if isinstance(value, np.ndarray):
        return value.tobytes()
    compiled = getattr(value, "py_func", None)
    return repr(value if compiled is None else compiled.__qualname__).encode()


def address(function: Any, signature: Any) -> int:
    """The machine address of a jitted function, compiled for the signature; NumbaError where it does not fit."""
    return int(_get_wrapper_address(function, signature))


def caster(signature: Any) -> Any:
    """A function for use inside kernels that turns an address into a callable value of the signature."""
    function_type = types.FunctionType(signature)

    @intrinsic
    def cast(typing: Any, number: Any) -> Any:
        def build(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            value = cgutils.create_struct_proxy(function_type)(context, builder)
            value.c_addr = builder.inttoptr(arguments[0], cgutils.voidptr_t)
            return value._getvalue()

        return function_type(types.int64), build

    return cast


SETUP = types.void(WORDS)
MOVES = types.int64(WORDS, ACTIONS)
PLAY = types.void(WORDS, types.int64)
OBSERVE = types.void(WORDS, FLOATS)
KEY = types.uint64(WORDS)
MARGIN = types.int64(WORDS)
HEURISTIC = types.int64(WORDS)

as_moves = caster(MOVES)
as_play = caster(PLAY)
as_observe = caster(OBSERVE)
as_key = caster(KEY)
as_margin = caster(MARGIN)
as_heuristic = caster(HEURISTIC)


@intrinsic
def count_bits(typing: Any, word: Any) -> Any:
    """How many bits of a uint64 are set."""

    def build(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), build


@intrinsic
def lowest_bit(typing: Any, word: Any) -> Any:
    """The index of the lowest set bit of a uint64 that is not zero."""

    def build(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), build


_BITS_OF_BYTE = np.array(
    [index for byte in range(256) for index in [*(bit for bit in range(8) if byte >> bit & 1), *[0] * 8][:8]], np.int32
)
"""The indices of the set bits of every byte, eight numbers a byte."""


@jit
def list_bits(word: Word, first: Int, actions: Actions, count: Int) -> Int:
    """Append `first` plus the index of every set bit of a uint64, ascending; the new count."""
    while word:
        actions[count] = first + lowest_bit(word)
        word &= word - np.uint64(1)
        count += 1
    return count


@jit
def list_dense_bits(word: Word, first: Int, length: Int, actions: Actions, count: Int) -> Int:
    """The same for a uint64 of `length` bits that are mostly set.

    Eight at a time, which compiles to vectors; what a byte writes beyond its set bits stays below first + length.
    """
    for _ in range(length >> 3):
        byte = word & np.uint64(255)
        for index in range(np.uint64(8)):
            actions[np.uint64(count) + index] = _BITS_OF_BYTE[byte * np.uint64(8) + index] + np.int32(first)
        count += count_bits(byte)
        first += 8
        word >>= np.uint64(8)
    return list_bits(word, first, actions, count) if length & 7 else count


def _byte_pointer(context: Any, builder: Any, array: Any, index: Any) -> Any:
    data = context.make_array(WORDS)(context, builder, value=array).data
    return builder.gep(builder.bitcast(data, cgutils.voidptr_t), [index])


@intrinsic
def get_byte(typing: Any, state: Any, index: Any) -> Any:
    """Byte `index` of a state's words as an int64, without a bounds check."""

    def build(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        byte = builder.load(_byte_pointer(context, builder, *arguments))
        return builder.zext(byte, ir.IntType(64))

    return types.int64(WORDS, types.int64), build


@intrinsic
def set_byte(typing: Any, state: Any, index: Any, value: Any) -> Any:
    """Write the low eight bits of an int64 to byte `index` of a state's words, without a bounds check."""

    def build(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer = _byte_pointer(context, builder, arguments[0], arguments[1])
        builder.store(builder.trunc(arguments[2], ir.IntType(8)), pointer)
        return context.get_dummy_value()

    return types.void(WORDS, types.int64, types.int64), build


@intrinsic
def copy(typing: Any, target: Any, target_start: Any, source: Any, source_start: Any, length: Any) -> Any:
    """`target[target_start:][:length] = source[source_start:][:length]` for two arrays of one type, not overlapping."""

    def build(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        to = context.make_array(target)(context, builder, value=arguments[0])
        come = context.make_array(source)(context, builder, value=arguments[2])
        size = context.get_abi_sizeof(context.get_data_type(target.dtype))
        cgutils.raw_memcpy(
            builder,
            builder.gep(to.data, [arguments[1]]),
            builder.gep(come.data, [arguments[3]]),
            arguments[4],
            size,
        )
        return context.get_dummy_value()

    return types.void(target, types.int64, source, types.int64, types.int64), build


@intrinsic
def borrow(typing: Any, array: Any, start: Any, length: Any) -> Any:
    """`array[start:start + length]` of a one-dimensional array, without reference counting or a bounds check.

    The array must outlive the view.
    """
    view_type = types.Array(array.dtype, 1, "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = context.make_array(array)(context, builder, value=arguments[0])
        view = context.make_array(view_type)(context, builder)
        data = builder.gep(source.data, [arguments[1]])
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(array.dtype)))
        context.populate_array(
            view,
            data=data,
            shape=cgutils.pack_array(builder, [arguments[2]]),
            strides=cgutils.pack_array(builder, [size]),
            itemsize=size,
            meminfo=None,
        )
        return view._getvalue()

    return view_type(array, types.int64, types.int64), build


@intrinsic
def scratch(typing: Any, length: Any) -> Any:
    """A vector of uint64 of a constant length on the stack, not cleared; it lives as long as the function that asks."""
    if not isinstance(length, types.IntegerLiteral):
        return None
    words = length.literal_value

    def build(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        data = cgutils.alloca_once(builder, ir.IntType(64), size=words)
        array = context.make_array(WORDS)(context, builder)
        context.populate_array(
            array,
            data=data,
            shape=cgutils.pack_array(builder, [context.get_constant(types.intp, words)]),
            strides=cgutils.pack_array(builder, [context.get_constant(types.intp, 8)]),
            itemsize=context.get_constant(types.intp, 8),
            meminfo=None,
        )
        return array._getvalue()

    return WORDS(length), build


@jit
def next_random(generator: Words) -> Word:
    """The next 64 random bits; `generator` is one uint64 in an array (splitmix64)."""
    generator[0] += numba.uint64(0x9E3779B97F4A7C15)
    mixed = generator[0]
    mixed = (mixed ^ (mixed >> numba.uint64(30))) * numba.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> numba.uint64(27))) * numba.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> numba.uint64(31))


@jit
def random_below(generator: Words, bound: Int) -> Int:
    """A random integer from 0 to `bound` - 1."""
    return numba.int64(((next_random(generator) >> numba.uint64(32)) * numba.uint64(bound)) >> numba.uint64(32))


@jit
def mix(word: Word) -> Word:
    """A uint64 scrambled so that every bit of the input moves every bit of the output."""
    word = (word ^ (word >> numba.uint64(32))) * numba.uint64(0xD6E8FEB86659FD93)
    word = (word ^ (word >> numba.uint64(32))) * numba.uint64(0xD6E8FEB86659FD93)
    return word ^ (word >> numba.uint64(32))


@jit
def hash_words(state: Words, start: Int) -> Word:
    """A hash of the state's words from `start` on."""
    found = numba.uint64(0x9E3779B97F4A7C15)
    for index in range(start, state.size):
        found = mix(found ^ state[index]) + numba.uint64(0x9E3779B97F4A7C15)
    return found
