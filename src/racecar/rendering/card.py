# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What lies on the graphics card: programs, meshes, pictures, and what is drawn into.

To be imported when there is a context: the import looks for the library of that.
"""

from __future__ import annotations

from typing import cast, NamedTuple

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from racecar.base.errors import ConfigurationError
from racecar.rendering.vertices import VERTEX, Vertices


class Program:
    """A vertex and a fragment shader; `defines` are names that the sources ask for."""

    def __init__(self, vertex: str, fragment: str, *defines: str) -> None:
        """Raise ConfigurationError if the card does not take it."""
        self._number = GL.glCreateProgram()
        self._places: dict[str, int] = {}
        for kind, source in ((GL.GL_VERTEX_SHADER, vertex), (GL.GL_FRAGMENT_SHADER, fragment)):
            head, _, rest = source.partition('\n')
            shader = GL.glCreateShader(kind)
            GL.glShaderSource(shader, '\n'.join(
                [head, *(f'#define {name}' for name in defines), rest]))
            GL.glCompileShader(shader)
            GL.glAttachShader(self._number, shader)
        GL.glLinkProgram(self._number)
        if not GL.glGetProgramiv(self._number, GL.GL_LINK_STATUS):
            reasons = [GL.glGetProgramInfoLog(self._number), *(
                GL.glGetShaderInfoLog(shader) for shader in GL.glGetAttachedShaders(self._number))]
            raise ConfigurationError(
                'pictures need OpenGL 3.3, which this driver does not have:'
                f' {" ".join(" ".join(str(reason) for reason in reasons).split())}')

    def use(self, **values: object) -> Program:
        """Make it the current one; values: of its uniforms, see set()."""
        GL.glUseProgram(self._number)
        self.set(**values)
        return self

    def set(self, **values: object) -> None:
        """Set uniforms: an int is a picture, matrices are (3, 3) or (4, 4), rows first."""
        for name, value in values.items():
            if name not in self._places:
                self._places[name] = GL.glGetUniformLocation(self._number, name)
            place = self._places[name]
            if isinstance(value, int):
                GL.glUniform1i(place, value)
                continue
            numbers = np.asarray(value, np.float32)
            call = {(): GL.glUniform1fv, (2,): GL.glUniform2fv, (3,): GL.glUniform3fv,
                    (4,): GL.glUniform4fv}.get(numbers.shape)
            if call is not None:
                call(place, 1, numbers)
            else:
                matrix = GL.glUniformMatrix3fv if len(numbers) == 3 else GL.glUniformMatrix4fv
                matrix(place, 1, GL.GL_TRUE, np.ascontiguousarray(numbers))


class CardMesh:
    """Vertices on the card."""

    def __init__(self, rows: Vertices | None = None) -> None:
        """rows: None for none yet."""
        self._array = GL.glGenVertexArrays(1)
        self._buffer = GL.glGenBuffers(1)
        self._count = 0
        GL.glBindVertexArray(self._array)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._buffer)
        for index, name in enumerate(VERTEX.names or ()):
            field, offset, *_ = VERTEX.fields[name]  # type: ignore[index]
            GL.glEnableVertexAttribArray(index)
            GL.glVertexAttribPointer(
                index, field.shape[0], GL.GL_FLOAT, False, VERTEX.itemsize,
                GL.GLvoidp(offset))
        if rows is not None:
            self.fill(rows)

    def fill(self, rows: Vertices) -> None:
        """Replace the vertices."""
        self._count = len(rows)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._buffer)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, rows.nbytes, rows, GL.GL_DYNAMIC_DRAW)

    def draw(self, kind: int = GL.GL_TRIANGLES) -> None:
        """Draw them with the current program."""
        GL.glBindVertexArray(self._array)
        GL.glDrawArrays(kind, 0, self._count)


def grey_picture(grey: NDArray[np.uint8]) -> int:
    """Name of a picture (n, n) on the card that repeats, with smaller ones for what is far."""
    name: int = GL.glGenTextures(1)
    GL.glBindTexture(GL.GL_TEXTURE_2D, name)
    GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 1)
    GL.glTexImage2D(GL.GL_TEXTURE_2D, 0, GL.GL_R8, *grey.shape, 0, GL.GL_RED, GL.GL_UNSIGNED_BYTE,
                    np.ascontiguousarray(grey))
    GL.glGenerateMipmap(GL.GL_TEXTURE_2D)
    _set(GL.GL_TEXTURE_MIN_FILTER, GL.GL_LINEAR_MIPMAP_LINEAR)
    return name


def _set(name: int, value: int) -> None:
    GL.glTexParameteri(GL.GL_TEXTURE_2D, name, value)


class Target(NamedTuple):
    """What is drawn into: number of a framebuffer; texture of its depths, 0 if it has none."""

    frame: int
    depths: int = 0


def depth_target(edge: int) -> Target:
    """Square of depths [pixels] that shaders compare with."""
    depths, frame = GL.glGenTextures(1), GL.glGenFramebuffers(1)
    GL.glBindTexture(GL.GL_TEXTURE_2D, depths)
    GL.glTexImage2D(GL.GL_TEXTURE_2D, 0, GL.GL_DEPTH_COMPONENT24, edge, edge, 0,
                    GL.GL_DEPTH_COMPONENT, GL.GL_UNSIGNED_INT, None)
    for name, value in (
            (GL.GL_TEXTURE_MIN_FILTER, GL.GL_LINEAR), (GL.GL_TEXTURE_MAG_FILTER, GL.GL_LINEAR),
            (GL.GL_TEXTURE_WRAP_S, GL.GL_CLAMP_TO_EDGE),
            (GL.GL_TEXTURE_WRAP_T, GL.GL_CLAMP_TO_EDGE),
            (GL.GL_TEXTURE_COMPARE_MODE, GL.GL_COMPARE_REF_TO_TEXTURE)):
        _set(name, value)
    GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, frame)
    GL.glFramebufferTexture2D(
        GL.GL_FRAMEBUFFER, GL.GL_DEPTH_ATTACHMENT, GL.GL_TEXTURE_2D, depths, 0)
    GL.glDrawBuffer(GL.GL_NONE)
    GL.glReadBuffer(GL.GL_NONE)
    return Target(frame, depths)


def picture_target(width: int, height: int, samples: int = 0) -> Target:
    """Picture with depths and stencil; samples: per pixel, 0 for one."""
    frame = GL.glGenFramebuffers(1)
    GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, frame)
    samples = min(samples, GL.glGetIntegerv(GL.GL_MAX_SAMPLES))
    for place, kind in ((GL.GL_COLOR_ATTACHMENT0, GL.GL_RGBA8),
                        (GL.GL_DEPTH_STENCIL_ATTACHMENT, GL.GL_DEPTH24_STENCIL8)):
        buffer = GL.glGenRenderbuffers(1)
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, buffer)
        GL.glRenderbufferStorageMultisample(GL.GL_RENDERBUFFER, samples, kind, width, height)
        GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, place, GL.GL_RENDERBUFFER, buffer)
    if GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER) != GL.GL_FRAMEBUFFER_COMPLETE:
        raise ConfigurationError(
            f'a picture of {width}x{height} is too large for this driver, whose largest has'
            f' {GL.glGetIntegerv(GL.GL_MAX_RENDERBUFFER_SIZE)} pixels along an edge')
    return Target(frame)


def read_pixels(width: int, height: int) -> NDArray[np.uint8]:
    """Picture (height, width, 3) of the framebuffer that is read from, from the top."""
    GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
    data = cast(bytes, GL.glReadPixels(
        0, 0, width, height, GL.GL_RGB, GL.GL_UNSIGNED_BYTE))
    # OpenGL counts rows from below.
    pixels: NDArray[np.uint8] = np.frombuffer(data, np.uint8).reshape(height, width, 3)[::-1]
    return pixels


def read_depths(width: int, height: int) -> NDArray[np.float32]:
    """Depths (height, width) of the framebuffer that is read from, from the top: 0 near, 1 far."""
    data = cast(bytes, GL.glReadPixels(
        0, 0, width, height, GL.GL_DEPTH_COMPONENT, GL.GL_FLOAT, outputType=bytes))
    depths: NDArray[np.float32] = np.frombuffer(data, np.float32).reshape(height, width)[::-1]
    return depths
