//! Sport and play outdoors.

use crate::pen::{
    Ink::{Accent, Back, Dark, Deep, Glow, Light, Main, Pale, Shade, Third},
    Pen,
};

pub(crate) fn running(pen: &mut Pen<'_>) {
    for (x, y, length) in [(-78, -46, 40), (-84, -10, 34), (-82, 24, 26)] {
        pen.slab(Light, (x, y), (length, 5), 2);
    }
    pen.fill(Shade, "M-240 82C-100 74 100 74 240 82V130H-240Z");
    pen.limb(Deep, 13, &[(16, -42), (-18, -34), (-26, -4)]);
    pen.limb(Deep, 17, &[(0, 10), (-16, 40), (-62, 40)]);
    pen.line(Accent, 15, "M-62 40L-68 28");
    pen.limb(Main, 28, &[(16, -38), (2, 4)]);
    pen.limb(Main, 18, &[(4, 8), (36, 26), (26, 68)]);
    pen.line(Accent, 15, "M27 69L42 69");
    pen.limb(Main, 13, &[(18, -42), (38, -12), (64, -28)]);
    pen.dot(Light, 30, -70, 17);
    pen.line(Accent, 6, "M15 -78C24 -82 36 -82 46 -74");
    pen.line(Accent, 5, "M15 -76L2 -72");
}

pub(crate) fn cycling(pen: &mut Pen<'_>) {
    pen.fill(Shade, "M-240 74H240V130H-240Z");
    for x in [-46, 46] {
        pen.ring(Dark, 8, (x, 34), 38);
        pen.ring(Light, 2, (x, 34), 31);
        pen.at(x, 34, 1.0, |pen| {
            pen.fan(10, |pen| pen.line(Light, 1, "M0 0V-30"));
        });
        pen.dot(Dark, x, 34, 6);
    }
    pen.line(
        Main,
        8,
        "M-46 34L-22 -18L34 -22L2 36ZM-22 -18L2 36L-46 34M46 34L30 -36",
    );
    pen.line(
        Dark,
        7,
        "M-22 -18L-27 -34M30 -36L27 -46L48 -50C58 -50 58 -38 50 -36",
    );
    pen.fill(Dark, "M-46 -40H-12C-12 -30 -40 -32 -46 -40Z");
    pen.ring(Accent, 5, (2, 36), 11);
    pen.line(Dark, 5, "M2 36L14 52M8 53H22");
}

pub(crate) fn yoga(pen: &mut Pen<'_>) {
    pen.dot(Glow, 0, -12, 74);
    pen.dot(Accent, 0, -12, 52);
    pen.oval(Shade, (0, 72), 84, 9);
    pen.both(|pen| {
        pen.limb(Light, 11, &[(14, -26), (40, 8), (54, 44)]);
        pen.line(Main, 22, "M8 40C26 24 56 44 62 56C44 70 0 60 -26 58");
    });
    pen.fill(
        Main,
        "M-20 -28C-14 -36 14 -36 20 -28L14 12L20 48H-20L-14 12Z",
    );
    pen.line(Light, 11, "M0 -32V-46");
    pen.dot(Light, 0, -62, 17);
    pen.fill(Dark, "M-17 -62A17 17 0 0 1 17 -62C8 -74 -8 -74 -17 -62Z");
    pen.dot(Dark, 0, -82, 8);
}

pub(crate) fn swimming(pen: &mut Pen<'_>) {
    pen.dot(Accent, 40, -52, 20);
    pen.limb(Light, 15, &[(-30, 4), (-6, -36), (38, -8)]);
    pen.line(Main, 30, "M-80 36L-26 12");
    pen.dot(Light, 8, 4, 18);
    pen.fill(Third, "M-8 -4A19 19 0 0 1 26 -2C18 -8 2 -8 -8 -4Z");
    for (y, deep) in [(22, false), (44, true), (66, false)] {
        pen.at(0, y, 1.0, |pen| {
            let ink = if deep { Deep } else { Main };
            pen.fill(ink, "M-240 6C-190 -6 -180 -6 -170 0S-150 6 -130 0S-110 -6 -90 0S-70 6 -50 0S-30 -6 -10 0S10 6 30 0S50 -6 70 0S90 6 110 0S130 -6 150 0S180 6 240 0V90H-240Z");
            pen.line(Light, 3, "M-240 6C-190 -6 -180 -6 -170 0S-150 6 -130 0S-110 -6 -90 0S-70 6 -50 0S-30 -6 -10 0S10 6 30 0S50 -6 70 0S90 6 110 0S130 -6 150 0S180 6 240 0");
        });
    }
}

pub(crate) fn football(pen: &mut Pen<'_>) {
    pen.fill(Shade, "M-240 64H240V130H-240Z");
    pen.line(Light, 3, "M-240 64H200");
    pen.oval(Dark, (4, 72), 58, 9);
    pen.dot(Light, 0, 0, 70);
    pen.rotate(10, |pen| {
        pen.fan(5, |pen| {
            pen.fill(Dark, "M-21 -67A70 70 0 0 1 21 -67L13 -51H-13Z");
            pen.line(Dark, 3, "M0 -25L0 -51M0 -25L24 -8M13 -51L33 -38L44 -34");
        });
        pen.fill(Dark, "M0 -27L26 -8L16 22H-16L-26 -8Z");
    });
}

pub(crate) fn basketball(pen: &mut Pen<'_>) {
    pen.slab(Light, (-62, -88), (124, 76), 5);
    pen.line(Dark, 4, "M-24 -16V-56H24V-16");
    pen.line(Light, 3, "M-34 -8L-20 54M-16 -6L-8 56M16 -6L8 56M34 -8L20 54M-32 12L20 50M32 12L-20 50M-34 -8L16 36M34 -8L-16 36");
    pen.line(Accent, 8, "M-40 -8H40");
    pen.at(34, 50, 1.0, |pen| {
        pen.dot(Main, 0, 0, 40);
        pen.rotate(20, |pen| {
            pen.line(
                Dark,
                3,
                "M-40 0H40M0 -40V40M-28 -28C-8 -12 -8 12 -28 28M28 -28C8 -12 8 12 28 28",
            );
        });
    });
}

pub(crate) fn tennis(pen: &mut Pen<'_>) {
    pen.rotate(34, |pen| {
        pen.fill(Deep, "M-14 22L-4 44H4L14 22L0 30Z");
        pen.slab(Dark, (-7, 42), (14, 56), 5);
        pen.oval(Main, (0, -30), 46, 58);
        pen.oval(Back, (0, -30), 38, 50);
        pen.line(Light, 2, "M-24 -66V6M-12 -76V16M0 -79V19M12 -76V16M24 -66V6M-34 -50H34M-38 -37H38M-38 -24H38M-35 -11H35M-28 2H28M-27 -63H27");
    });
    pen.at(44, 44, 1.0, |pen| {
        pen.dot(Accent, 0, 0, 24);
        pen.line(
            Light,
            4,
            "M-18 -14C-4 -8 -4 12 -16 17M16 -17C4 -10 4 10 18 14",
        );
    });
}

pub(crate) fn table_tennis(pen: &mut Pen<'_>) {
    pen.rotate(-30, |pen| {
        pen.slab(Light, (-11, 26), (22, 62), 8);
        pen.fill(Third, "M-40 20H40L14 44H-14Z");
        pen.dot(Main, 0, -20, 56);
        pen.fill(Deep, "M-46 12H46A56 56 0 0 1 14 34H-14A56 56 0 0 1 -46 12Z");
        pen.slab(Light, (-48, 8), (96, 6), 3);
    });
    pen.dot(Light, 56, 34, 17);
    pen.line(Light, 3, "M70 8C62 0 56 -4 48 -6M76 60L84 72");
}

pub(crate) fn climbing(pen: &mut Pen<'_>) {
    pen.fill(Shade, "M-240 -104H-30L-60 -20L-20 30L-70 104H-240Z");
    pen.fill(Glow, "M40 -104H240V130H90L56 20L84 -40Z");
    for (x, y, ink) in [
        (-52, -64, Accent),
        (30, -76, Main),
        (54, -10, Accent),
        (-60, 10, Light),
        (44, 54, Light),
        (-40, 78, Main),
        (0, -96, Light),
        (66, 84, Main),
        (-70, 50, Accent),
    ] {
        pen.at(x, y, 1.0, |pen| {
            pen.fill(
                ink,
                "M-12 4C-14 -8 -2 -12 6 -9C16 -6 14 8 6 10C-2 12 -10 12 -12 4Z",
            );
        });
    }
    pen.line(Light, 3, "M-4 104C-8 70 0 40 -2 4");
    pen.limb(Main, 11, &[(-12, -28), (-34, -46), (-50, -62)]);
    pen.limb(Main, 11, &[(8, -30), (30, -44), (30, -72)]);
    pen.limb(Dark, 15, &[(-6, 14), (-36, 20), (-40, 72)]);
    pen.limb(Dark, 15, &[(4, 14), (38, 12), (44, 48)]);
    pen.limb(Main, 26, &[(-2, -22), (0, 6)]);
    pen.line(Accent, 6, "M-12 10H12");
    pen.dot(Light, -2, -52, 15);
    pen.fill(Dark, "M-17 -54A15 15 0 0 1 13 -54Z");
}

pub(crate) fn skateboard(pen: &mut Pen<'_>) {
    pen.fill(Shade, "M-240 66H60C100 66 130 30 240 -40V130H-240Z");
    pen.rotate(-14, |pen| {
        pen.line(Main, 15, "M-78 -10C-66 6 -56 8 -44 8H44C56 8 66 6 78 -10");
        pen.line(Dark, 4, "M-76 -16C-64 -2 -56 0 -44 0H44C56 0 64 -2 76 -16");
        pen.both(|pen| {
            pen.fill(Dark, "M28 16H50L44 30H34Z");
            pen.dot(Light, 39, 34, 15);
            pen.dot(Accent, 39, 34, 6);
        });
    });
    pen.line(Light, 4, "M-60 -52H-20M-74 -36H-46M10 -62H44");
}

pub(crate) fn fitness(pen: &mut Pen<'_>) {
    pen.rotate(-24, |pen| {
        pen.slab(Light, (-76, -8), (152, 16), 6);
        pen.both(|pen| {
            pen.slab(Main, (30, -52), (20, 104), 8);
            pen.slab(Dark, (54, -36), (16, 72), 7);
            pen.slab(Pale, (34, -46), (5, 92), 2);
        });
        pen.line(Shade, 3, "M-18 -8V8M-9 -8V8M0 -8V8M9 -8V8M18 -8V8");
    });
}

pub(crate) fn golf(pen: &mut Pen<'_>) {
    pen.fill(
        Shade,
        "M-240 60C-120 30 -40 44 20 52S140 40 240 30V130H-240Z",
    );
    pen.oval(Dark, (26, 66), 18, 5);
    pen.line(Light, 5, "M26 66V-80");
    pen.fill(Main, "M26 -80L-40 -58L26 -34Z");
    pen.dot(Light, -34, 68, 14);
    pen.dots(
        Shade,
        1,
        &[(-38, 64), (-30, 64), (-34, 70), (-28, 71), (-40, 71)],
    );
}
