//! Days of the year, animals, home and neighbourhood.

use crate::pen::{
    Ink::{Accent, Dark, Deep, Glow, Light, Main, Pale, Shade, Third},
    Pen,
};

pub(crate) fn love(pen: &mut Pen<'_>) {
    pen.fill(
        Main,
        "M0 78C-96 16 -84 -58 -40 -62C-16 -64 -2 -46 0 -34C2 -46 16 -64 40 -62C84 -58 96 16 0 78Z",
    );
    pen.fill(Deep, "M40 -62C84 -58 96 16 0 78C52 24 70 -20 40 -62Z");
    pen.line(Light, 9, "M-58 -10C-60 -26 -52 -38 -40 -42");
    pen.at(56, -70, 0.32, |pen| pen.fill(Accent, "M0 78C-96 16 -84 -58 -40 -62C-16 -64 -2 -46 0 -34C2 -46 16 -64 40 -62C84 -58 96 16 0 78Z"));
}

pub(crate) fn wedding(pen: &mut Pen<'_>) {
    pen.ring(Main, 13, (-26, 24), 44);
    pen.ring(Accent, 13, (28, 30), 44);
    pen.line(Main, 13, "M12 2A44 44 0 0 1 14 44");
    pen.at(-26, -30, 1.0, |pen| {
        pen.fill(Light, "M-22 -22H22L32 -6L0 22L-32 -6Z");
        pen.line(
            Third,
            2,
            "M-32 -6H32M-22 -22L-10 -6L0 22L10 -6L22 -22M-10 -6L0 -22L10 -6",
        );
    });
    for (x, y, size) in [(40, -50, 1.6), (62, -24, 0.9), (-72, -64, 1.0)] {
        pen.spark(Light, x, y, size);
    }
}

pub(crate) fn birthday(pen: &mut Pen<'_>) {
    for (x, y, ink, scale) in [
        (-36, -14, Accent, 0.9),
        (38, -22, Third, 0.95),
        (0, -44, Main, 1.1),
    ] {
        pen.limb(Light, 2, &[(x, y + 36), (0, 98)]);
        pen.at(x, y, scale, |pen| {
            pen.fill(ink, "M0 40C-30 28 -40 2 -36 -14C-32 -34 -16 -42 0 -42S32 -34 36 -14C40 2 30 28 0 40ZM-7 48L0 36L7 48Z");
            pen.line(Light, 6, "M-22 -8C-22 -18 -16 -26 -8 -28");
        });
    }
    for (x, y, ink) in [
        (-66, -74, Light),
        (62, 38, Accent),
        (-62, 50, Main),
        (68, -76, Main),
        (-44, 78, Light),
        (44, 76, Third),
    ] {
        pen.at(x, y, 1.0, |pen| {
            pen.rotate(x * 3, |pen| pen.slab(ink, (-7, -3), (14, 6), 2));
        });
    }
}

pub(crate) fn christmas(pen: &mut Pen<'_>) {
    pen.oval(Shade, (0, 84), 50, 7);
    pen.slab(Dark, (-9, 62), (18, 22), 2);
    pen.fill(
        Main,
        "M0 -72L34 -28H20L50 16H30L64 66H-64L-30 16H-50L-20 -28H-34Z",
    );
    pen.fill(
        Deep,
        "M0 -72L34 -28H20L50 16H30L64 66H12C30 20 20 -30 0 -72Z",
    );
    pen.line(
        Light,
        4,
        "M-24 -24C-8 -14 10 -16 22 -26M-38 20C-14 34 16 32 36 18",
    );
    for (x, y, ink) in [
        (-14, -34, Accent),
        (12, 0, Third),
        (-22, 4, Light),
        (-36, 48, Accent),
        (4, 46, Light),
        (36, 50, Accent),
    ] {
        pen.dot(ink, x, y, 7);
    }
    pen.at(0, -76, 1.0, |pen| {
        pen.fill(
            Accent,
            "M0 -18L5 -6L18 -6L8 2L12 15L0 8L-12 15L-8 2L-18 -6L-5 -6Z",
        );
    });
}

pub(crate) fn halloween(pen: &mut Pen<'_>) {
    pen.oval(Shade, (0, 70), 76, 9);
    pen.fill(
        Dark,
        "M-8 -40C-10 -60 0 -70 14 -76L22 -64C12 -60 10 -52 10 -40Z",
    );
    pen.both(|pen| {
        pen.oval(Deep, (46, 14), 36, 48);
        pen.oval(Main, (26, 14), 34, 54);
    });
    pen.oval(Pale, (0, 14), 22, 56);
    pen.both(|pen| pen.fill(Dark, "M14 4L40 4L30 -20Z"));
    pen.fill(Dark, "M0 8L8 22H-8Z");
    pen.fill(
        Dark,
        "M-48 28L-30 34L-22 28L-12 36L0 30L12 36L22 28L30 34L48 28C40 58 -40 58 -48 28Z",
    );
}

pub(crate) fn kite(pen: &mut Pen<'_>) {
    for (x, y, scale) in [
        (-44, -60, 0.8),
        (48, 40, 0.7),
        (-130, 0, 1.1),
        (140, -40, 1.0),
    ] {
        pen.at(x, y, scale, |pen| {
            pen.fill(
                Glow,
                "M-40 16A16 16 0 0 1 -22 -8A24 24 0 0 1 20 -8A18 18 0 0 1 38 16Z",
            );
        });
    }
    pen.rotate(24, |pen| {
        pen.line(Dark, 3, "M0 44C10 64 -20 74 -8 110");
        pen.fill(Main, "M0 -84L48 -30L0 48L-48 -30Z");
        pen.fill(Accent, "M0 -84L48 -30H0ZM0 48L-48 -30H0Z");
        pen.line(Light, 3, "M0 -84V48M-48 -30H48");
        for (x, y) in [(3, 64), (-10, 82), (-10, 102)] {
            pen.at(x, y, 1.0, |pen| {
                pen.both(|pen| pen.fill(Third, "M0 0L18 -8V8Z"));
            });
        }
    });
}

pub(crate) fn dog(pen: &mut Pen<'_>) {
    pen.fill(Third, "M-46 104C-46 60 -26 48 0 48S46 60 46 104Z");
    pen.slab(Accent, (-36, 46), (72, 12), 6);
    pen.dot(Light, 0, 62, 9);
    pen.fill(
        Main,
        "M-46 -40C-40 -70 40 -70 46 -40L50 14C44 44 24 54 0 54S-44 44 -50 14Z",
    );
    pen.both(|pen| {
        pen.fill(Deep, "M34 -62C66 -62 84 -20 74 18C60 22 50 0 44 -34Z");
        pen.dot(Dark, 22, -10, 7);
        pen.dot(Light, 24, -12, 2);
    });
    pen.fill(Light, "M-10 -62H10L14 -8C34 10 34 46 0 46S-34 10 -14 -8Z");
    pen.fill(Dark, "M-14 8C-14 2 14 2 14 8C14 18 4 22 0 22S-14 18 -14 8Z");
    pen.line(
        Dark,
        4,
        "M0 20V30C-2 38 -12 38 -16 34M0 30C2 38 12 38 16 34",
    );
}

pub(crate) fn cat(pen: &mut Pen<'_>) {
    pen.fill(Deep, "M-44 104C-44 62 -26 48 0 48S44 62 44 104Z");
    pen.both(|pen| {
        pen.fill(Main, "M16 -46L56 -80C64 -52 62 -26 58 -6Z");
        pen.fill(Accent, "M30 -48L50 -64C54 -50 54 -40 52 -28Z");
    });
    pen.fill(
        Main,
        "M-60 6C-60 -36 -34 -52 0 -52S60 -36 60 6S30 56 0 56S-60 44 -60 6Z",
    );
    pen.fill(
        Deep,
        "M-8 -52H8L4 -30H-4ZM-28 -48L-16 -51L-14 -34ZM28 -48L16 -51L14 -34Z",
    );
    pen.both(|pen| {
        pen.oval(Light, (24, -2), 13, 14);
        pen.oval(Dark, (24, -2), 5, 12);
        pen.line(Light, 2, "M34 26L76 18M34 32L76 36");
    });
    pen.fill(Accent, "M-8 18H8L0 28Z");
    pen.line(
        Dark,
        3,
        "M0 28V34C-2 42 -12 42 -14 36M0 34C2 42 12 42 14 36",
    );
}

pub(crate) fn bird(pen: &mut Pen<'_>) {
    pen.line(Dark, 9, "M-240 66C-100 50 0 74 90 58S180 66 240 60");
    pen.fill(Third, "M50 56C58 40 74 38 82 44C78 58 64 62 50 56Z");
    pen.line(Accent, 5, "M-8 44L-12 64M10 44L10 64");
    pen.fill(Deep, "M-30 16L-88 60L-70 30L-92 28Z");
    pen.fill(Main, "M-56 14C-40 -26 -10 -26 6 -40C16 -58 54 -60 60 -30C62 -16 58 -6 54 4C46 40 10 56 -18 46C-36 40 -46 28 -56 14Z");
    pen.fill(Light, "M52 6C44 40 14 54 -10 48C20 40 34 20 34 -4Z");
    pen.fill(Deep, "M-52 16C-30 -8 0 -10 22 4C10 34 -24 36 -52 16Z");
    pen.fill(Accent, "M58 -38L84 -26L58 -20Z");
    pen.dot(Dark, 40, -34, 6);
}

pub(crate) fn crab(pen: &mut Pen<'_>) {
    pen.fill(Shade, "M-240 66C-100 56 100 56 240 66V130H-240Z");
    pen.at(0, 4, 0.84, animal);
}

fn animal(pen: &mut Pen<'_>) {
    pen.both(|pen| {
        pen.line(
            Deep,
            8,
            "M44 34L70 40L78 66M38 44L60 54L62 76M46 22L76 22L86 44",
        );
        pen.line(Main, 11, "M44 4C66 0 72 -14 66 -30");
        pen.fill(
            Main,
            "M70 -28C44 -34 44 -70 70 -80L66 -54L84 -74C98 -52 90 -28 70 -28Z",
        );
        pen.line(Main, 6, "M18 -18V-38");
        pen.dot(Light, 18, -42, 11);
        pen.dot(Dark, 16, -42, 5);
    });
    pen.fill(
        Main,
        "M-62 20C-62 -14 -34 -26 0 -26S62 -14 62 20C62 48 30 60 0 60S-62 48 -62 20Z",
    );
    pen.fill(
        Deep,
        "M-50 42C-20 54 20 54 50 42C38 56 18 60 0 60S-38 56 -50 42Z",
    );
    pen.line(Dark, 5, "M-18 20C-8 32 8 32 18 20");
    pen.dots(Pale, 5, &[(-38, 6), (-28, -4), (38, 6), (28, -4)]);
}

pub(crate) fn health(pen: &mut Pen<'_>) {
    pen.slab(Light, (-66, -62), (132, 132), 26);
    pen.slab(Accent, (-18, -46), (36, 100), 6);
    pen.slab(Accent, (-50, -14), (100, 36), 6);
    pen.line(Light, 6, "M-50 4H-24L-14 -16L2 26L14 -6L20 4H50");
}

pub(crate) fn candle(pen: &mut Pen<'_>) {
    pen.dot(Glow, 0, -52, 44);
    for (x, top, width, ink) in [(-44, 16, 30, Pale), (44, 0, 30, Pale), (0, -14, 36, Main)] {
        pen.slab(ink, (x - width / 2, top), (width, 92 - top), 4);
        pen.slab(Light, (x - width / 2, top), (width, 10), 4);
        pen.at(x, top, 1.0, |pen| {
            pen.line(Dark, 3, "M0 0V-10");
            pen.fill(Accent, "M0 -6C-18 -14 -8 -34 0 -52C8 -34 18 -14 0 -6Z");
            pen.fill(Light, "M0 -8C-8 -14 -4 -22 0 -30C4 -22 8 -14 0 -8Z");
        });
    }
    pen.oval(Shade, (0, 92), 80, 8);
}

pub(crate) fn climate(pen: &mut Pen<'_>) {
    pen.fill(Dark, "M-60 92C-54 60 54 60 60 92Z");
    pen.line(Deep, 8, "M0 72C-2 40 4 20 0 -10");
    pen.fill(Main, "M2 20C6 -40 40 -60 78 -58C80 -8 52 24 2 20Z");
    pen.line(Light, 3, "M6 16C24 -10 44 -32 66 -46");
    pen.fill(Pale, "M-2 -2C-66 2 -76 -40 -70 -66C-24 -66 0 -42 -2 -2Z");
    pen.line(Deep, 3, "M-8 -8C-26 -22 -44 -40 -58 -54");
}

pub(crate) fn market(pen: &mut Pen<'_>) {
    pen.slab(Dark, (-66, -20), (7, 112), 0);
    pen.slab(Dark, (59, -20), (7, 112), 0);
    pen.slab(Main, (-74, 40), (148, 52), 4);
    pen.line(Deep, 4, "M-74 58H74M-74 74H74");
    for (x, ink) in [
        (-54, Accent),
        (-32, Third),
        (-10, Accent),
        (12, Third),
        (34, Accent),
        (54, Third),
    ] {
        pen.dot(ink, x, 30, 12);
        pen.dot(ink, x + 10, 16, 10);
    }
    pen.fill(Light, "M-62 -72H62L80 -22H-80Z");
    pen.fill(
        Accent,
        "M-62 -72H-37L-48 -22H-80ZM-12 -72H12L16 -22H-16ZM37 -72H62L80 -22H48Z",
    );
    for (x, stripe) in [
        (-64, true),
        (-32, false),
        (0, true),
        (32, false),
        (64, true),
    ] {
        let ink = if stripe { Accent } else { Light };
        pen.at(x, -22, 1.0, |pen| {
            pen.fill(ink, "M-16 -1H16V4A16 14 0 0 1 -16 4Z");
        });
    }
}

pub(crate) fn house(pen: &mut Pen<'_>) {
    pen.fill(Shade, "M-240 72C-100 64 100 64 240 72V130H-240Z");
    pen.slab(Dark, (28, -66), (18, 44), 0);
    pen.slab(Light, (-52, -16), (104, 94), 2);
    pen.fill(Main, "M0 -78L74 -8L64 2L0 -2L-64 2L-74 -8Z");
    pen.slab(Accent, (-14, 28), (28, 50), 3);
    pen.dot(Light, 8, 54, 3);
    for x in [-42, 22] {
        pen.slab(Third, (x, 14), (20, 24), 2);
        pen.at(x, 14, 1.0, |pen| pen.line(Light, 3, "M10 0V24M0 12H20"));
    }
    pen.dot(Third, 0, -22, 10);
    pen.dot(Deep, -74, 58, 20);
    pen.dot(Deep, 72, 62, 16);
}

pub(crate) fn garden(pen: &mut Pen<'_>) {
    for (x, y, scale, ink) in [
        (-42, 4, 0.72, Accent),
        (44, -8, 0.8, Third),
        (0, -34, 1.1, Main),
    ] {
        pen.limb(Deep, 6, &[(x, y), (x * 7 / 10, 104)]);
        pen.at(x, y, scale, |pen| {
            pen.fan(10, |pen| {
                pen.fill(ink, "M0 0C-14 -18 -12 -44 0 -48C12 -44 14 -18 0 0Z");
            });
            pen.dot(Light, 0, 0, 15);
            pen.dot(Dark, 0, 0, 8);
        });
    }
    pen.both(|pen| pen.fill(Deep, "M2 92C10 62 34 52 58 54C52 82 30 96 2 92Z"));
}

pub(crate) fn fireworks(pen: &mut Pen<'_>) {
    pen.sky();
    for (x, y, scale, ink) in [
        (-26, -34, 1.0, Main),
        (40, -8, 0.72, Accent),
        (30, -70, 0.5, Light),
        (-130, -30, 0.9, Accent),
        (130, -40, 1.0, Main),
    ] {
        pen.at(x, y, scale, |pen| {
            pen.fan(12, |pen| {
                pen.line(ink, 4, "M0 -14V-38");
                pen.dot(ink, 0, -50, 4);
            });
            pen.rotate(15, |pen| pen.fan(12, |pen| pen.dot(Light, 0, -30, 2)));
        });
    }
    pen.line(
        Pale,
        2,
        "M-26 -14C-24 20 -20 50 -16 90M40 6C36 34 28 60 24 90",
    );
    for (x, y, width) in [
        (-200, 66, 60),
        (-140, 50, 40),
        (-96, 72, 40),
        (-60, 58, 34),
        (-26, 76, 30),
        (8, 62, 28),
        (36, 78, 30),
        (62, 54, 40),
        (104, 70, 50),
        (150, 58, 60),
    ] {
        pen.slab(Dark, (x, y), (width, 60), 0);
    }
}
