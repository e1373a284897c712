# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Square markers that cameras recognise: dictionaries of ArUco.

S. Garrido-Jurado et al., Automatic generation and detection of highly reliable fiducial markers
under occlusion, Pattern Recognition 47 (2014), describes the kind. The first dictionary codes a
number of ten bits in five rows, two bits a row, each pair as a word of a Hamming code. Those of
5 x 5 and 6 x 6 cells with 250 markers are the predefined ones of OpenCV 4 (Apache License 2.0),
generated with cv2.aruco.
"""

from __future__ import annotations

from typing import NamedTuple

ORIGINAL = 'original'
"""The first dictionary."""


class Dictionary(NamedTuple):
    """Markers of one size: cells along an edge within the black border; bits, the first highest.

    words: a number for each marker, whose bits are the rows from the top; True: white.
    """

    cells: int
    words: tuple[int, ...]


_PAIRS = (0b10000, 0b10111, 0b01001, 0b01110)
_BLACK = False


def _original(number: int) -> int:
    word = 0
    for row in range(5):
        word = word << 5 | _PAIRS[number >> 2 * (4 - row) & 0b11]
    return word


def _read(text: str) -> tuple[int, ...]:
    return tuple(int(word, 16) for word in text.split())


_WORDS_5X5 = _read("""
145b2bc 01c06e6 1af0edd 10395f7 1aeb524 1d4082d 0d3d7ec 0e2146b 10d6132 1313fa5 13cee03 1a2dac0
1e62b11 05e7166 1fcfca8 051e37f 097a758 0bea26f 0f64dc4 1061de8 12dda75 150e440 16b0ca1 0ba12de
19cd023 1a59972 1c3ce8b 0224246 03b9672 024223b 027376e 0368873 040d0ce 04aaac8 04643ba 07a6fea
0998aac 082d101 09aad1d 0863c72 0ad2825 0a52f9e 0d849f7 0c309d9 0da7e31 0e9627a 0e9b997 0f94806
0f59125 0f6b7d7 11b58e4 11ad279 11e380b 1169445 12ffb4a 158cb8d 15987f0 1422fdf 14e1227 156df22
173dbf1 164c93c 17cbb86 1880a87 19147dd 184eb8a 18d85ad 1b2cda9 1babd73 1e9d432 1e76528 0f5740a
1b11a53 018ce65 02ab219 098e981 0a8061c 141a158 185314c 196d12c 1fad3a2 00922b5 019bce0 00b547c
002c76f 0132289 012d2a7 00c4b43 0067bc5 00faa0d 01f1f54 038e879 0323b23 02c3647 02da51b 02e9d8d
027c562 03efdf5 0521ee0 0448efd 0542f81 055f6c9 047e008 04f9bf8 046d558 05ef65e 0692188 06013ad
068bc21 072a5d0 06400e2 06dce3a 0891409 089d9fd 08a3ee5 08a952a 08c277d 09d0612 08ee533 09f04fb
0b86f1b 0b1faee 0a36ff0 0b275f6 0b53332 0a603e1 0a798cf 0a6dc02 0b64b5f 0bfab99 0cacc85 0cb8f5e
0cc6ea2 0ce198b 0e12cbb 0f8c701 0f35752 0e47a8c 0e7cb65 1084d18 113e202 10d5dd3 11447f3 1286ae3
1388a36 12a3f49 12d1b20 12e4d6e 1366ece 1378dc1 14134dd 148a50d 151610b 15b3684 15fe0b1 1605cc7
1601e30 179d565 17d8899 16705f4 166b079 17e8bdc 17eac67 18875e0 199d306 18a6601 19a44c7 18c1115
18d287e 195dd09 19f4e25 196c3c5 1a005d2 1b96e8c 1b31709 1b39d64 1a53281 1a5a22e 1bcb4dd 1b48e85
1b67820 1b71f92 1d031c7 1ca38de 1c35c71 1db72f7 1d3c064 1d6ba18 1dff33a 1f02202 1f00fa6 1ec0441
1ec36bf 1fd6bda 1f46671 1f49583 1ee5ee1 1efd5f9 1fe3129 1f746bc 0d1705e 1321e17 133b04d 1c8be1d
03a20dd 0558261 06882c7 06f80e9 07e6b97 0ad4098 0ae7073 0cd3170 0e74a2e 0fe59fb 1168fd2 14b872e
15353d6 16a336e 165b533 18983e8 195723c 1b0df47 1bf1b1c 1cacd1f 1da8e35 1e0cf0d 00853dd 000468f
00145f6 009919c 001a5c3 018141e 011178c 0190cb6 00b03fa 002e23c 003842b 003cee2 012537e 01a2037
01a0a30 01bda5f 01acdbc 013e4ec 005a105 004c592 00de752 00dde46 01c7c24 01535bb
""")

_WORDS_6X6 = _read("""
1e3dd82a6 0efba3891 15907eacd c91b3069e d607d6e15 d8e8e0e68 4268b41f5 88a50f29a 307d524fd
3c2f34b3c 45dfc74e3 48d85b257 710558fc6 86dcfad07 8d72a93f6 a2b89dcde 09fd1e9c4 154dbd18f
300a310e2 4807efafd 56df11db6 66883274c 76e8cb781 9a53d9cf3 a9cb84024 c67549490 c1d288941
e7480852b ea2fca848 e963b77b1 fa36652af 065bff7bd 0541d72d6 0cf7246a2 1338a39eb 15a893e74
3a417ee9e 4f11e26c0 530db6d20 589bfae34 6409e8a0b 60537a891 6159069ba 6bff78d7b 70ad96a4f
75846f71a 7a95192fc 8609760aa 8a2d44c3f 93eb78b14 988da84d4 9ede2b3c8 a529e07b8 b593b855f
b7f8e426f bc205225e c04487765 c4c324259 c5a91bd8d ce73e6b2c cd0ca6272 c9435d44d cfbe80f34
e57d15877 efc6858e9 f77ef3772 2ce43f254 2bdcff4b3 37c7ddbda a1a254e0f a982c1bb5 d81b49b08
035829f86 07c4095fc 0fe26617b 144836441 10ad5ffb7 12829553f 16e13184c 187a496b0 1ae886112
1913ae0a1 1b67b5a17 25dc95f0b 288961f76 3354146aa 31c16c1f7 33cb18c66 3ecfe490f 464518a3f
44ba70b67 419c623e8 48d1914a1 54f499f6d 575a9c813 558355b2c 57b77610f 5c3436fe4 5c48fc77e
5e6eef402 5f233b6ff 5b742a632 650fa33ae 65d3175cc 6a9c245ae 69c5f3042 69d2484ea 7479e2de6
72cf23eab 77b1dc414 7e0c07217 7a6970647 78b2d8707 79c585794 866f59fc6 82f6727f5 854e2f414
9a1185934 9c7160c97 9dd194fd8 a21e12e38 ae701c82c ad01219c1 b0351f9ee b64ad80d4 b537314b4
beaac7e3b bb683dbcf c672f72c1 c1e74dbab cb55ee59d cba053724 d0090fcf1 d06c3ad54 d3f120574
e6e33b1a7 e3533ea4a e8068eb14 ec07c0597 eaf3803da f63b27d88 f30798379 fe4bba9b9 aba57d86b
c0d1625ab 13ce7bae7 4e81fd617 56e076320 6a708a540 72a898a18 815d42f80 cf4cc3d5f d6bb65864
ecd313a31 f521f5207 f91fa5df7 0024f47a7 00084d882 043cc2f29 047b50211 067ae4c1d 00aa968a3
04d138e94 0510a80da 0140b0007 019d9cee1 081057e3b 086b97b66 0ee8b860a 0b6c76b9b 0fdcb98cb
0fcacf3a0 14249fd98 1407201fd 150910d57 135cd7307 11479abb6 1cb9a9238 1cdd07766 1f2e7c24b
196642477 1957d4c84 1fa8f4f04 1b8246ed8 1baee10fe 22a4b63ca 22bf9012f 232c15b40 255aa966c
27a5afa97 25f40e425 286655cde 2c427e0e0 2ab97cbd0 2946e1d23 2da628410 2bfb209a6 368cd66bc
3487777c7 34ddeb840 3791f76f1 3a228e175 3e13bd408 3c9843ca2 39589d179 3974daeeb 3f6dbc731
3d6bc050c 39ab27497 46024e25e 4682ba0bc 42e9cd5ae 44c9b7b3f 40c7d41e9 46d2b4cce 43195356b
4122e6dd9 4753a59ab 4e1ef1e08 4e4ac0960 4e5faa06f 4a8d32943 491594b39 4d4ddb621 4ba761e81
49d483d8e 56290ef6c 537ed5ffc 55f5a7afa 55d5ea64f 581bab1da 5ebe926dd 5f10f99b5 5d1edfa5c
5f718df02 5de11e468 6033bb247 64581afe1 63c8dda76 61da3d8fd 6e3a22afa 6e6105b71 6a89a9e8c
6a97224f5 6b12c3801 6b684b22a 6f94c1579 6da6fea0d 6feaca457 703d38a60
""")

DICTIONARIES: dict[str, Dictionary] = {
    ORIGINAL: Dictionary(5, tuple(_original(number) for number in range(1024))),
    '5x5_250': Dictionary(5, _WORDS_5X5), '6x6_250': Dictionary(6, _WORDS_6X6)}
"""By name."""


def marker_cells(number: int, dictionary: str = ORIGINAL) -> tuple[tuple[bool, ...], ...]:
    """Cells of a marker with its black border, rows from the top; True: white.

    Raises ValueError for a number that the dictionary does not have.
    """
    edge, words = DICTIONARIES[dictionary]
    if not 0 <= number < len(words):
        raise ValueError(
            f'marker {number} is unknown in the dictionary {dictionary}, expected 0 to'
            f' {len(words) - 1}')
    border = (_BLACK,) * (edge + 2)
    rows = tuple(
        (_BLACK, *(bool(words[number] >> edge * (edge - 1 - row) + (edge - 1 - column) & 1)
                   for column in range(edge)), _BLACK) for row in range(edge))
    return border, *rows, border
