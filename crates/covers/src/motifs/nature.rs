//! Landscapes, under the sky of their hour. What is wide reaches from -200 to 200.

use crate::pen::{
    Ink::{Accent, Dark, Deep, Light, Main, Pale, Shade, Third},
    Pen,
};

fn fir(pen: &mut Pen<'_>, x: i32, y: i32, scale: f64, dark: bool) {
    let ink = if dark { Dark } else { Deep };
    pen.at(x, y, scale, |pen| {
        pen.slab(ink, (-4, -12), (8, 14), 0);
        pen.fill(
            ink,
            "M0 -96L20 -62H11L29 -36H18L36 -8H-36L-18 -36H-29L-11 -62H-20Z",
        );
    });
}

fn palm(pen: &mut Pen<'_>, x: i32, y: i32, scale: f64) {
    pen.at(x, y, scale, |pen| {
        pen.line(Dark, 8, "M-14 118C-10 70 -8 34 0 0");
        for degrees in [-28, 12, 52] {
            pen.rotate(degrees, |pen| {
                pen.fill(Dark, "M-2 2C14 -24 48 -26 66 2C46 -8 22 -6 -2 2Z");
            });
        }
        for degrees in [168, 208, 128] {
            pen.rotate(degrees, |pen| {
                pen.fill(Dark, "M-2 -2C14 24 48 26 66 -2C46 8 22 6 -2 -2Z");
            });
        }
        pen.dots(Deep, 6, &[(-5, 5), (7, 7)]);
    });
}

/// Light that lies on water below the sun, from `y` on.
fn glitter(pen: &mut Pen<'_>, x: i32, y: i32) {
    for (row, half) in (0..).zip([30, 20, 26, 13, 18, 8]) {
        pen.slab(
            Light,
            (x - half + row % 2 * 5, y + row * 9),
            (half * 2, 3),
            1,
        );
    }
}

fn gulls(pen: &mut Pen<'_>, places: &[(i32, i32)]) {
    pen.each(places, |pen| {
        pen.line(Dark, 3, "M-12 -4C-8 -9 -3 -7 0 0C3 -7 8 -9 12 -4");
    });
}

pub(crate) fn beach(pen: &mut Pen<'_>) {
    pen.sky();
    pen.sun(22, 4, 36);
    pen.slab(Deep, (-200, 14), (400, 90), 0);
    glitter(pen, 22, 18);
    pen.fill(
        Light,
        "M-200 62C-120 48 -60 74 0 64S120 50 200 66V104H-200Z",
    );
    pen.fill(
        Third,
        "M-200 70C-120 56 -60 82 0 72S120 58 200 74V104H-200Z",
    );
    palm(pen, -44, -32, 1.0);
    palm(pen, -150, -12, 0.85);
    palm(pen, 138, -20, 0.9);
    // A parasol on the sand.
    pen.at(46, 70, 0.9, |pen| {
        pen.line(Light, 3, "M0 -34L6 20");
        pen.fill(Accent, "M-34 -24A36 36 0 0 1 32 -36Z");
        pen.fill(Light, "M-12 -28C-12 -44 -6 -56 -5 -61C4 -54 10 -40 11 -32Z");
    });
    gulls(pen, &[(-6, -58), (26, -70)]);
}

pub(crate) fn sunset(pen: &mut Pen<'_>) {
    pen.sky();
    pen.sun(0, 8, 46);
    pen.slab(Deep, (-200, 26), (400, 80), 0);
    glitter(pen, 0, 34);
    pen.fill(
        Dark,
        "M-200 2C-150 -14 -110 8 -70 14C-50 18 -34 24 -22 28H-200Z",
    );
    pen.fill(Dark, "M200 -10C150 -20 110 6 82 16C66 22 52 26 42 28H200Z");
    gulls(pen, &[(-40, -44), (-18, -56), (48, -62)]);
    pen.fill(Dark, "M-200 96C-120 78 -60 94 0 92S140 80 200 92V104H-200Z");
}

pub(crate) fn mountains(pen: &mut Pen<'_>) {
    pen.sky();
    pen.sun(42, -44, 20);
    pen.fill(
        Pale,
        "M-200 30L-150 -34L-104 24L-64 -20L-10 40L60 -26L110 30L150 -30L200 20V104H-200Z",
    );
    pen.fill(Deep, "M-140 84L-22 -68L36 8L54 -12L130 84V104H-140Z");
    pen.fill(
        Light,
        "M-22 -68L10 -26L-2 -16L-14 -32L-28 -14L-38 -30L-52 -29Z",
    );
    pen.fill(Light, "M54 -12L70 8L60 14L52 4L42 14L38 5Z");
    pen.fill(
        Main,
        "M-200 66C-140 40 -80 60 -20 64S120 44 200 62V104H-200Z",
    );
    pen.fill(Dark, "M-200 88C-140 70 -80 92 0 84S140 74 200 86V104H-200Z");
    for (x, scale) in [
        (-66, 0.45),
        (-50, 0.3),
        (58, 0.4),
        (70, 0.28),
        (-140, 0.4),
        (126, 0.45),
    ] {
        fir(pen, x, 88, scale, true);
    }
}

pub(crate) fn forest(pen: &mut Pen<'_>) {
    pen.sky();
    pen.sun(16, -40, 26);
    pen.fill(Pale, "M-200 40C-120 10 -60 30 0 26S140 12 200 36V104H-200Z");
    for (x, scale) in [
        (-54, 0.8),
        (-20, 0.6),
        (14, 0.75),
        (50, 0.65),
        (78, 0.9),
        (-110, 0.9),
        (-160, 0.7),
        (130, 0.7),
        (170, 0.9),
    ] {
        fir(pen, x, 62, scale, false);
    }
    pen.fill(Main, "M-200 62C-120 50 -60 62 0 58S140 52 200 64V104H-200Z");
    for (x, y, scale) in [
        (-60, 96, 1.2),
        (60, 98, 1.35),
        (28, 92, 0.7),
        (-150, 96, 1.3),
        (140, 94, 1.1),
        (184, 100, 1.4),
    ] {
        fir(pen, x, y, scale, true);
    }
}

pub(crate) fn lake(pen: &mut Pen<'_>) {
    pen.sky();
    pen.sun(-34, -42, 20);
    pen.fill(
        Deep,
        "M-200 22L-130 -40L-84 10L-30 -24L10 18L52 -46L112 12L150 -20L200 22Z",
    );
    pen.fill(Light, "M52 -46L68 -30L58 -24L50 -32L42 -24L38 -27Z");
    pen.slab(Main, (-200, 22), (400, 90), 0);
    pen.fill(Deep, "M-84 22L-30 40L10 22L52 52L112 22Z");
    for (x, y, width) in [
        (-70, 40, 44),
        (20, 34, 70),
        (-10, 88, 60),
        (-110, 60, 60),
        (96, 76, 70),
        (-60, 74, 24),
    ] {
        pen.slab(Light, (x, y), (width, 3), 1);
    }
    // A canoe with a paddler.
    pen.fill(
        Dark,
        "M-58 54C-50 62 50 62 58 54C54 76 36 80 0 80S-54 76 -58 54Z",
    );
    pen.line(Dark, 14, "M-2 60L2 40");
    pen.dot(Dark, 4, 22, 9);
    pen.line(Accent, 4, "M30 26L-30 86");
    pen.limb(Dark, 6, &[(2, 40), (18, 48), (20, 36)]);
}

pub(crate) fn city(pen: &mut Pen<'_>) {
    pen.sky();
    pen.sun(30, -36, 26);
    for (x, y, width) in [
        (-190, -10, 40),
        (-140, -34, 30),
        (-104, 0, 34),
        (-66, -44, 30),
        (-30, -10, 28),
        (4, -30, 24),
        (34, 0, 34),
        (72, -22, 30),
        (108, -48, 28),
        (142, -6, 50),
    ] {
        pen.slab(Pale, (x, y), (width, 120), 0);
    }
    pen.fill(Deep, "M-16 104V-52L-4 -64V-88L-1 -88V-64L12 -52V104Z");
    for (x, y, width, deep) in [
        (-78, 0, 34, true),
        (-40, 24, 30, false),
        (16, 12, 32, true),
        (50, 34, 36, false),
        (-124, 16, 40, false),
        (-170, -8, 36, true),
        (90, -4, 36, true),
        (130, 30, 34, false),
        (166, 4, 34, true),
    ] {
        pen.slab(if deep { Deep } else { Dark }, (x, y), (width, 120), 0);
        pen.at(x, y, 1.0, |pen| {
            for row in 0..4 {
                pen.slab(Accent, (6, 10 + row * 18), (6, 9), 1);
                pen.slab(Light, (width - 13, 10 + row * 18), (6, 9), 1);
            }
        });
    }
    pen.slab(Dark, (-200, 88), (400, 20), 0);
}

pub(crate) fn stars(pen: &mut Pen<'_>) {
    pen.sky();
    let plough = [
        (-62, -30),
        (-36, -44),
        (-14, -36),
        (10, -26),
        (20, 2),
        (54, -2),
        (58, -32),
    ];
    pen.limb(Pale, 1, &plough);
    for (x, y) in plough {
        pen.spark(Light, x, y, 0.8);
    }
    pen.fill(Light, "M54 -92A24 24 0 1 0 70 -54A26 26 0 0 1 54 -92Z");
    pen.fill(Deep, "M-200 56C-130 30 -70 60 0 50S120 32 200 52V104H-200Z");
    pen.fill(Dark, "M-200 80C-130 62 -70 84 0 76S120 66 200 80V104H-200Z");
    // A telescope.
    pen.line(Dark, 5, "M-34 40L-50 84M-34 40L-20 84");
    pen.at(-34, 36, 1.0, |pen| {
        pen.rotate(-36, |pen| {
            pen.slab(Accent, (-30, -8), (40, 16), 2);
            pen.slab(Light, (10, -11), (30, 22), 3);
        });
    });
}

pub(crate) fn snow(pen: &mut Pen<'_>) {
    pen.sky();
    pen.fill(
        Pale,
        "M-200 20L-130 -30L-80 18L-10 -50L70 20L120 -20L200 30V104H-200Z",
    );
    pen.fill(Light, "M-10 -50L22 -22L10 -12L-4 -26L-18 -6L-30 -22Z");
    for (x, y, scale) in [
        (-58, 56, 0.85),
        (60, 50, 0.7),
        (-120, 60, 1.0),
        (128, 58, 0.9),
        (-30, 50, 0.5),
    ] {
        fir(pen, x, y, scale, false);
    }
    pen.fill(
        Light,
        "M-200 44C-120 30 -50 66 20 52S140 38 200 50V104H-200Z",
    );
    pen.fill(
        Pale,
        "M-200 92C-100 70 -20 96 60 80S160 78 200 86V104H-200Z",
    );
    // A skier.
    pen.at(14, 56, 0.75, |pen| {
        pen.limb(Accent, 15, &[(4, -44), (-12, -16)]);
        pen.limb(Dark, 12, &[(-12, -16), (10, -2), (-6, 20)]);
        pen.dot(Dark, 14, -60, 11);
        pen.limb(Accent, 8, &[(4, -42), (24, -26)]);
        pen.line(Dark, 3, "M24 -28L-20 -2");
        pen.line(Main, 5, "M-44 14L40 34");
    });
    let flakes = [
        (-66, -70),
        (-30, -84),
        (-8, -66),
        (40, -78),
        (66, -50),
        (30, -40),
        (-46, -34),
        (-72, -10),
        (70, -6),
        (0, 12),
        (-120, -60),
        (-160, -20),
        (120, -70),
        (160, -40),
        (100, -20),
    ];
    pen.dots(Light, 3, &flakes);
}

pub(crate) fn camping(pen: &mut Pen<'_>) {
    pen.sky();
    pen.sun(46, -56, 16);
    for (x, scale) in [
        (-70, 1.1),
        (-44, 0.8),
        (70, 1.0),
        (44, 0.7),
        (-120, 1.2),
        (-160, 0.9),
        (116, 1.2),
        (160, 1.0),
    ] {
        fir(pen, x, 52, scale, false);
    }
    pen.fill(Dark, "M-200 54C-120 40 -60 54 0 50S140 44 200 54V104H-200Z");
    pen.fill(Accent, "M-12 -22L58 76H-60Z");
    pen.fill(Main, "M-12 -22L-60 76H-30Z");
    pen.fill(Light, "M-12 -22L22 76H-14Z");
    pen.line(Light, 3, "M-12 -22L-8 -34");
    // A fire.
    pen.at(-46, 88, 0.8, |pen| {
        pen.fill(Accent, "M-20 0C-24 -22 -6 -26 -2 -48C14 -34 26 -18 18 0Z");
        pen.fill(Light, "M-9 0C-10 -12 0 -14 2 -24C10 -16 12 -8 8 0Z");
        pen.line(Third, 6, "M-24 6L24 0M-24 0L24 6");
    });
}

pub(crate) fn sailing(pen: &mut Pen<'_>) {
    pen.sky();
    pen.sun(-38, -46, 20);
    pen.fill(Light, "M8 -84C44 -46 56 -8 58 22H8Z");
    pen.fill(Accent, "M-2 -66C-16 -36 -38 -2 -56 22H-2Z");
    pen.line(Dark, 4, "M3 -90V36");
    pen.fill(
        Dark,
        "M-62 32H70C62 54 50 64 34 64H-34C-48 60 -58 48 -62 32Z",
    );
    pen.slab(Third, (-56, 38), (118, 5), 2);
    pen.fill(Main, "M-200 62C-180 48 -160 48 -140 62S-100 76 -80 62S-40 48 -20 62S20 76 40 62S80 48 100 62S140 76 160 62S190 50 200 58V104H-200Z");
    pen.fill(Deep, "M-200 82C-180 94 -160 94 -140 82S-100 68 -80 82S-40 94 -20 82S20 68 40 82S80 94 100 82S140 68 160 82S190 92 200 86V104H-200Z");
}

pub(crate) fn theatre(pen: &mut Pen<'_>) {
    pen.slab(Dark, (-200, -104), (400, 220), 0);
    pen.fill(Shade, "M-14 -100H14L62 84H-62Z");
    pen.fill(Light, "M-6 -100H6L40 78H-40Z");
    pen.slab(Third, (-200, 72), (400, 40), 0);
    pen.oval(Light, (0, 80), 44, 8);
    pen.both(|pen| {
        pen.fill(Main, "M-200 -104H-8C-14 -50 -40 -8 -72 10C-66 40 -64 70 -66 104H-200Z");
        pen.line(Deep, 4, "M-22 -100C-30 -56 -52 -14 -78 8M-44 -100C-50 -60 -66 -20 -86 8M-66 -100C-70 -60 -80 -20 -94 8");
        pen.line(Deep, 4, "M-76 16C-72 50 -72 80 -74 104M-90 16C-88 50 -88 80 -90 104M-120 -100V104M-160 -100V104");
        pen.fill(Accent, "M-104 2H-64L-68 14H-104Z");
    });
    for x in -4..5 {
        pen.at(x * 48, -100, 1.0, |pen| {
            pen.oval(Main, (0, 0), 25, 30);
            pen.line(Accent, 4, "M-24 10C-16 36 16 36 24 10");
        });
    }
}
