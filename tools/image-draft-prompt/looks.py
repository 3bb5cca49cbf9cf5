"""What a draughtsman knows: which approaches suit which picture, and which colours suit which mood."""

from __future__ import annotations

from typing import NamedTuple


class Approach(NamedTuple):
    style: str
    composition: str
    light: str
    technique: str
    palette: str
    """Used when the brief names no mood."""
    notes: str
    """What sets it apart, for the person who chooses."""


SUBJECTS: dict[str, frozenset[str]] = {
    "person": frozenset(
        "person people man woman child girl boy portrait face team founder artist designer chef doctor teacher family "
        "couple dancer musician worker crowd headshot selfie".split()
    ),
    "product": frozenset(
        "product bottle package packaging shoe shoes watch phone chair lamp mug cup book device gadget jewellery "
        "jewelry perfume cosmetics bag furniture mockup food cake dish coffee".split()
    ),
    "place": frozenset(
        "place city street building house room interior office landscape mountain mountains forest sea beach harbour "
        "harbor river garden park bridge village skyline museum studio kitchen library desert island lake "
        "lighthouse tower cafe station airport market square".split()
    ),
    "idea": frozenset(
        "idea concept abstract logo icon poster banner cover data cloud network growth strategy freedom future "
        "technology security trust innovation metaphor symbol background pattern".split()
    ),
}
"""Kind of picture -> the words that speak for it."""

PALETTES: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset("calm quiet peaceful serene gentle soft".split()), "muted sage, pale sand and mist grey"),
    (frozenset("joyful happy playful fun cheerful festive party".split()), "coral, sunflower yellow and turquoise"),
    (
        frozenset("dramatic dark moody mysterious noir tense".split()),
        "deep charcoal and ink blue with one amber accent",
    ),
    (frozenset("warm cosy cozy nostalgic autumn homely".split()), "terracotta, honey and warm cream"),
    (frozenset("cold winter icy snow snowy clinical".split()), "ice blue, silver and clean white"),
    (frozenset("luxurious luxury elegant premium refined".split()), "black, ivory and restrained gold"),
    (frozenset("natural organic fresh spring green eco".split()), "leaf green, bark brown and daylight white"),
    (frozenset("futuristic neon cyberpunk digital tech".split()), "graphite with electric cyan and magenta"),
    (frozenset("minimal minimalist simple clean plain".split()), "off-white, one grey and a single accent colour"),
)
"""Mood words -> colours; the first that fits."""

APPROACHES: dict[str, tuple[Approach, Approach, Approach, Approach]] = {
    "person": (
        Approach(
            "environmental portrait photograph",
            "waist-up, subject off-centre on the left third, surroundings telling who they are",
            "soft window light from one side, gentle fall-off",
            "85mm lens at f/2, natural skin texture",
            "warm neutrals with one colour taken from the surroundings",
            "Believable and close; good for pages about people.",
        ),
        Approach(
            "candid documentary photograph",
            "caught mid-gesture at eye level, layered foreground and background",
            "available light as found, slight contrast",
            "35mm lens at f/4, fine grain",
            "true-to-life colours, slightly desaturated",
            "Least posed; shows activity rather than appearance.",
        ),
        Approach(
            "gouache illustration",
            "full figure against a simplified background of large shapes",
            "flat daylight with one clear shadow side",
            "visible brushwork, matte paper, few confident strokes",
            "three flat colours and a dark outline tone",
            "Friendly and free of likeness; safe where no real person is meant.",
        ),
        Approach(
            "high-contrast studio portrait",
            "tight head and shoulders, centred, plain backdrop",
            "one hard key light at forty-five degrees, deep shadow",
            "100mm lens at f/8, crisp detail",
            "near-monochrome with a single warm tone",
            "The strongest presence; suits covers and profiles.",
        ),
    ),
    "product": (
        Approach(
            "clean studio product photograph",
            "three-quarter view, object centred with generous empty space",
            "large softbox from above, soft contact shadow",
            "90mm macro lens at f/11, sharp from edge to edge",
            "seamless pale background, colours led by the object",
            "The clearest view; works for shops and cut-outs.",
        ),
        Approach(
            "lifestyle photograph in use",
            "object in the lower third of a lived-in scene, hands or setting for scale",
            "morning light through a window",
            "50mm lens at f/2.8, shallow focus on the object",
            "warm wood, linen and daylight tones",
            "Shows what it is like to own it.",
        ),
        Approach(
            "bold graphic still life",
            "seen straight from above, geometric props, strong diagonals",
            "hard sunlight, long crisp shadows",
            "50mm lens at f/8, saturated print look",
            "two complementary colours, fully saturated",
            "The most eye-catching in a feed.",
        ),
        Approach(
            "exploded technical illustration",
            "isometric view, parts floating apart along one axis",
            "even light without cast shadows",
            "precise vector lines, subtle material shading",
            "blueprint blue and white with one highlight colour",
            "Explains how it is made.",
        ),
    ),
    "place": (
        Approach(
            "wide architectural photograph",
            "symmetrical one-point perspective, verticals kept straight",
            "low golden-hour sun raking across surfaces",
            "24mm tilt-shift lens at f/8",
            "stone, sky and late-sun gold",
            "Calm and exact; shows the whole place.",
        ),
        Approach(
            "atmospheric photograph from within",
            "a path or doorway leading the eye in, one small figure for scale",
            "mist or haze with light breaking through",
            "35mm lens at f/5.6, soft contrast",
            "layered blues and greys fading with distance",
            "More mood than information.",
        ),
        Approach(
            "ink and watercolour sketch",
            "loose three-quarter view, edges left unfinished",
            "bright overcast, shadows as single washes",
            "pen line over wet washes on cold-pressed paper",
            "three transparent washes and bare paper",
            "Light and personal; good for invitations and editorial use.",
        ),
        Approach(
            "isometric miniature scene",
            "seen from above at thirty degrees, cut out like a model on a plain ground",
            "soft even light with small ambient shadows",
            "3D render, clay-like materials, tiny readable details",
            "pastel base with two stronger accents",
            "Explains where things are.",
        ),
    ),
    "idea": (
        Approach(
            "minimal conceptual still life",
            "one everyday object arranged as a metaphor, centred, much empty space",
            "soft directional light, one clean shadow",
            "medium-format photograph, matte surfaces",
            "two quiet tones and one accent",
            "Makes the idea tangible with a single object.",
        ),
        Approach(
            "flat geometric poster",
            "a few large overlapping shapes on a strict grid",
            "no modelling light, shape and colour only",
            "screen-print texture, slight misregistration",
            "three spot colours on warm paper",
            "Reads at a glance and at any size.",
        ),
        Approach(
            "paper-cut layered artwork",
            "depth built from five or six paper layers framing the centre",
            "light from above, real shadows between layers",
            "macro photograph of cut paper, visible fibres",
            "one hue from dark to light",
            "Warm and handmade; softens technical subjects.",
        ),
        Approach(
            "abstract flowing 3D forms",
            "ribbons moving diagonally from lower left to upper right",
            "rim light with soft inner glow",
            "smooth render, fine grain, shallow focus",
            "a gradient of two neighbouring hues over a dark ground",
            "A background that leaves room for a headline.",
        ),
    ),
    "scene": (
        Approach(
            "cinematic photograph",
            "wide frame, main subject on the right third, clear foreground and background",
            "low side light shortly before sunset",
            "40mm anamorphic look at f/2.8",
            "teal shadows and warm highlights",
            "Tells a story in one frame.",
        ),
        Approach(
            "editorial illustration",
            "one clear focal point, simplified surroundings, bold silhouette",
            "graphic light and shade in two steps",
            "digital gouache with dry-brush texture",
            "four colours with one unexpected accent",
            "Clear at small sizes; leaves details to imagination.",
        ),
        Approach(
            "fine watercolour",
            "vignette fading into white paper",
            "diffuse daylight",
            "wet-in-wet washes, pencil lines left visible",
            "light transparent tints",
            "Quiet and personal.",
        ),
        Approach(
            "isometric 3D render",
            "seen from above at thirty degrees, neatly arranged on a plain ground",
            "soft even light",
            "matte materials, rounded edges, small readable details",
            "pastel base with two stronger accents",
            "Orderly; good for explaining.",
        ),
    ),
}
"""Four for each kind, most useful first: a request for fewer takes the first ones."""
