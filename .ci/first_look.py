"""The moving picture at the top of the README: a scene of notebook 00, its menu and its slider in use, as a GIF.

    python .ci/first_look.py [.ci/first_look.gif]

Run it when the scene looks different; a test compares the two. The frames are those of the live scene; its controls,
which a browser would draw, are drawn above them.
"""

import io
import sys

from matplotlib.font_manager import findfont
from PIL import Image, ImageDraw, ImageFont

from calibtutor.lessons.start.scenes import reveal_reliability

STRIP, MARGIN, TRACK = 46, 16, 200  # pixels: height of the controls, their distance, length of a slider
GREY, TEXT, LINE, KNOB = "#5f5f5f", "#222222", "#c8ccd1", "#1565c0"
COLOURS = 128
QUICK, GLANCE, LOOK = 80, 900, 1600  # milliseconds of a frame


def steps():
    """The controls that move, and for how many milliseconds what they show is to be seen."""
    yield {"model": "random forest", "bins": 10}, GLANCE
    yield from (({"bins": bins}, QUICK) for bins in range(11, 20))
    yield {"bins": 20}, LOOK
    for model in ("logistic regression", "neural network", "naive Bayes"):
        yield {"model": model}, LOOK
    yield from (({"bins": bins}, QUICK) for bins in range(19, 10, -1))
    yield {"bins": 10}, LOOK


def write(path):
    """Write the GIF."""
    scene, frames, durations = reveal_reliability(), [], []
    for values, milliseconds in steps():
        frames.append(with_controls(scene.set(**values)))
        durations.append(milliseconds)
    # One palette for all, or colours would flicker; the background stays white.
    sheet = Image.new("RGB", (frames[0].width, 5 * frames[0].height))
    for i, frame in enumerate(frames[:: len(frames) // 5][:5]):
        sheet.paste(frame, (0, i * frame.height))
    palette = sheet.quantize(COLOURS, dither=Image.Dither.NONE)
    colours, white = palette.getpalette(), Image.new("RGB", (1, 1), "white").quantize(palette=palette).getpixel((0, 0))
    colours[3 * white : 3 * white + 3] = [255] * 3
    first, *rest = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    for frame in (first, *rest):
        frame.putpalette(colours)
    first.save(path, save_all=True, append_images=rest, duration=durations, loop=0, optimize=True, disposal=1)


def with_controls(scene):
    """What a scene shows, its controls above."""
    picture = Image.open(io.BytesIO(scene.png)).convert("RGB")
    whole = Image.new("RGB", (picture.width, picture.height + STRIP), "white")
    whole.paste(picture, (0, STRIP))
    draw, font = ImageDraw.Draw(whole), ImageFont.truetype(findfont("DejaVu Sans"), 15)
    x, y = MARGIN, STRIP // 2
    for control in scene.controls.values():
        draw.text((x, y), control.description, GREY, font, anchor="lm")
        x += draw.textlength(control.description, font) + 14
        x = (slider if hasattr(control, "max") else menu)(draw, font, x, y, control) + 2 * MARGIN
    return whole


def slider(draw, font, x, y, control):
    """Draw a slider and its number; return where it ends."""
    knob = x + TRACK * (control.value - control.min) / (control.max - control.min)
    draw.line((x, y, x + TRACK, y), LINE, 4)
    draw.line((x, y, knob, y), KNOB, 4)
    draw.ellipse((knob - 9, y - 9, knob + 9, y + 9), KNOB, "white", 2)
    draw.text((x + TRACK + 18, y), str(control.value), TEXT, font, anchor="lm")
    return x + TRACK + 60


def menu(draw, font, x, y, control):
    """Draw a menu, as wide as its longest option; return where it ends."""
    wide = max(draw.textlength(option, font) for option in control.options) + 44
    draw.rounded_rectangle((x, y - 14, x + wide, y + 14), 4, "white", LINE)
    draw.text((x + 10, y), control.value, TEXT, font, anchor="lm")
    draw.polygon([(x + wide - 22, y - 3), (x + wide - 12, y - 3), (x + wide - 17, y + 4)], GREY)
    return x + wide


if __name__ == "__main__":
    write(*sys.argv[1:] or [".ci/first_look.gif"])
