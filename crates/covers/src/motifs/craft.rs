//! Arts, crafts and games.

use crate::pen::{
    Ink::{Accent, Back, Dark, Deep, Light, Main, Pale, Shade, Third},
    Pen,
};

pub(crate) fn painting(pen: &mut Pen<'_>) {
    pen.fill(Light, "M-6 -62C44 -70 82 -34 74 6C70 26 48 20 36 22C18 26 30 46 20 60C6 78 -76 68 -76 2C-76 -36 -44 -58 -6 -62Z");
    pen.dot(Back, 2, 42, 12);
    for (x, y, ink) in [
        (-44, -18, Main),
        (-14, -40, Accent),
        (24, -40, Third),
        (50, -14, Dark),
        (-48, 20, Deep),
    ] {
        pen.dot(ink, x, y, 13);
    }
    pen.at(40, 36, 1.0, |pen| {
        pen.rotate(-42, |pen| {
            pen.slab(Dark, (-4, -10), (9, 78), 4);
            pen.slab(Pale, (-6, -26), (13, 20), 2);
            pen.fill(Main, "M-8 -26C-12 -46 -2 -56 4 -72C14 -54 16 -42 8 -26Z");
        });
    });
}

pub(crate) fn photography(pen: &mut Pen<'_>) {
    pen.fill(Main, "M-24 -56H24L36 -38H-36Z");
    pen.slab(Main, (-76, -40), (152, 102), 14);
    pen.slab(Deep, (-76, -12), (152, 48), 0);
    pen.slab(Accent, (46, -30), (20, 10), 4);
    pen.slab(Dark, (-66, -48), (26, 10), 3);
    pen.dot(Light, 0, 12, 44);
    pen.dot(Dark, 0, 12, 36);
    pen.dot(Third, 0, 12, 24);
    pen.dot(Dark, 0, 12, 13);
    pen.fill(Light, "M-20 2A26 26 0 0 1 2 -12L2 -4A18 18 0 0 0 -13 6Z");
}

pub(crate) fn books(pen: &mut Pen<'_>) {
    pen.oval(Shade, (0, 62), 84, 10);
    pen.both(|pen| {
        pen.fill(Main, "M0 -40H82V58H0Z");
        pen.fill(Light, "M0 -34C20 -52 56 -54 74 -46V48C56 40 20 42 0 58Z");
        pen.line(Third, 4, "M16 -22C30 -30 46 -32 60 -30M16 -4C30 -12 46 -14 60 -12M16 14C30 6 46 4 60 6M16 32C26 26 36 24 46 24");
    });
    pen.line(Dark, 3, "M0 -34V58");
    pen.fill(Accent, "M34 -54H50V4L42 -6L34 4Z");
}

pub(crate) fn writing(pen: &mut Pen<'_>) {
    pen.line(
        Light,
        5,
        "M-76 74C-50 44 -40 92 -18 72C-8 62 4 84 22 74S56 76 72 70",
    );
    pen.rotate(36, |pen| {
        pen.slab(Main, (-18, -108), (36, 74), 6);
        pen.slab(Accent, (-20, -40), (40, 12), 3);
        pen.fill(Dark, "M-18 -28H18L26 14L0 72L-26 14Z");
        pen.line(Light, 3, "M0 14V66");
        pen.dot(Light, 0, 10, 7);
        pen.slab(Pale, (-12, -102), (8, 56), 3);
    });
}

pub(crate) fn pottery(pen: &mut Pen<'_>) {
    pen.oval(Dark, (0, 76), 70, 12);
    pen.oval(Third, (0, 70), 70, 12);
    pen.fill(Main, "M-26 -62H26C22 -44 26 -36 40 -20C66 12 48 56 32 72H-32C-48 56 -66 12 -40 -20C-26 -36 -22 -44 -26 -62Z");
    pen.fill(
        Deep,
        "M26 -62C22 -44 26 -36 40 -20C66 12 48 56 32 72H8C36 50 42 10 22 -20C12 -38 12 -46 14 -62Z",
    );
    pen.line(Accent, 6, "M-52 8C-30 18 30 18 52 8");
    pen.line(
        Light,
        4,
        "M-49 24L-36 34L-24 26L-12 36L0 27L12 36L24 26L36 34L49 24",
    );
    pen.oval(Dark, (0, -62), 28, 7);
}

pub(crate) fn knitting(pen: &mut Pen<'_>) {
    pen.line(Dark, 6, "M-66 -84L34 60M66 -84L-34 60");
    pen.dots(Accent, 8, &[(-68, -86), (68, -86)]);
    pen.dot(Main, 0, 18, 58);
    pen.line(Pale, 5, "M-46 -6C-16 -24 24 -16 48 6M-54 12C-20 -8 24 2 50 26M-54 32C-24 12 16 22 40 46M-44 50C-24 36 2 42 20 62");
    pen.line(
        Deep,
        5,
        "M-8 -36C18 -20 34 10 30 60M10 -36C36 -20 52 6 46 46M-26 -28C0 -10 14 30 8 72",
    );
    pen.line(Main, 6, "M40 58C60 84 10 92 -30 84S-90 96 -84 76");
}

pub(crate) fn tools(pen: &mut Pen<'_>) {
    pen.rotate(40, |pen| {
        pen.slab(Third, (-8, -44), (16, 132), 6);
        pen.slab(Deep, (-8, 40), (16, 48), 6);
        pen.fill(Dark, "M-44 -70H26C40 -70 46 -60 48 -46H32L26 -38H-44Z");
        pen.slab(Light, (-50, -74), (14, 40), 4);
    });
    pen.rotate(-40, |pen| {
        pen.fill(Main, "M-10 -40C-34 -52 -34 -86 -12 -96V-70L0 -62L12 -70V-96C34 -86 34 -52 10 -40V54C34 64 34 92 0 96S-34 64 -10 54Z");
        pen.dot(Back, 0, 74, 9);
    });
}

pub(crate) fn sewing(pen: &mut Pen<'_>) {
    pen.rotate(-18, |pen| {
        pen.line(Dark, 3, "M52 -84V84");
        pen.oval(Dark, (52, -78), 5, 11);
        pen.oval(Back, (52, -78), 2, 7);
        pen.slab(Third, (-58, -66), (84, 18), 8);
        pen.slab(Third, (-58, 50), (84, 18), 8);
        pen.slab(Main, (-46, -48), (60, 98), 4);
        for y in 0..6 {
            pen.slab(Deep, (-46, -40 + y * 16), (60, 4), 2);
        }
        pen.line(Main, 4, "M14 34C40 50 36 -30 52 -74C66 -100 74 -40 66 10");
        pen.dot(Light, -16, -57, 5);
    });
}

pub(crate) fn dice(pen: &mut Pen<'_>) {
    let die = |pen: &mut Pen<'_>, light: bool, pips: &[(i32, i32)]| {
        let (face, pip) = if light { (Light, Dark) } else { (Main, Light) };
        pen.slab(Shade, (-36, -34), (80, 80), 16);
        pen.slab(face, (-40, -40), (80, 80), 16);
        pen.dots(pip, 8, pips);
    };
    pen.at(-24, 26, 1.0, |pen| {
        pen.rotate(-16, |pen| {
            die(
                pen,
                true,
                &[(-20, -20), (20, 20), (0, 0), (20, -20), (-20, 20)],
            );
        });
    });
    pen.at(34, -44, 0.8, |pen| {
        pen.rotate(20, |pen| die(pen, false, &[(-18, -18), (0, 0), (18, 18)]));
    });
    pen.at(48, 52, 1.0, |pen| {
        pen.fill(
            Accent,
            "M-24 30C-24 12 -14 6 -9 0A15 15 0 1 1 9 0C14 6 24 12 24 30Z",
        );
    });
}

pub(crate) fn chess(pen: &mut Pen<'_>) {
    for row in 0..2 {
        for column in -6..6 {
            let ink = if (row + column) % 2 == 0 { Dark } else { Light };
            pen.slab(ink, (column * 36 - 18, 62 + row * 22), (36, 22), 0);
        }
    }
    pen.fill(Main, "M-34 52C-34 22 -2 12 0 -14C-14 -6 -26 0 -38 2C-50 4 -60 -8 -54 -20L-26 -60C-28 -70 -28 -78 -26 -86L-6 -70C40 -70 62 -14 44 52Z");
    pen.fill(Deep, "M-6 -70C40 -70 62 -14 44 52H18C36 -4 24 -50 -6 -70Z");
    pen.dot(Light, -16, -44, 6);
    pen.line(Dark, 3, "M-46 -10L-38 -12");
    pen.line(Light, 4, "M20 -46C32 -34 38 -10 36 12");
    pen.slab(Accent, (-44, 48), (96, 12), 5);
    pen.slab(Main, (-54, 58), (116, 18), 6);
}

pub(crate) fn gamepad(pen: &mut Pen<'_>) {
    pen.rotate(-8, |pen| {
        pen.line(Dark, 5, "M0 -44C0 -70 24 -64 24 -90");
        pen.fill(Main, "M-52 -44H52C86 -44 92 62 68 66C48 68 44 36 26 30H-26C-44 36 -48 68 -68 66C-92 62 -86 -44 -52 -44Z");
        pen.fill(Deep, "M-26 30C-44 36 -48 68 -68 66C-80 64 -84 40 -82 14C-66 40 -50 12 -26 18H26C50 12 66 40 82 14C84 40 80 64 68 66C48 68 44 36 26 30Z");
        pen.slab(Light, (-60, -20), (42, 14), 3);
        pen.slab(Light, (-46, -34), (14, 42), 3);
        for (x, y, ink) in [(40, -30, Accent), (40, 4, Third), (23, -13, Light), (57, -13, Dark)] {
            pen.dot(ink, x, y, 9);
        }
        pen.slab(Dark, (-12, -20), (10, 5), 2);
        pen.slab(Dark, (2, -20), (10, 5), 2);
    });
}

pub(crate) fn film(pen: &mut Pen<'_>) {
    pen.slab(Dark, (-72, -18), (144, 96), 8);
    pen.slab(Main, (-64, 10), (128, 60), 4);
    pen.line(Light, 3, "M-56 28H56M-56 50H56M-12 28V50M24 28V50");
    pen.fill(Light, "M-72 -18H72V6H-72Z");
    pen.fill(
        Dark,
        "M-60 6L-44 -18H-20L-36 6ZM-12 6L4 -18H28L12 6ZM36 6L52 -18H72V-12L60 6Z",
    );
    pen.at(-68, -20, 1.0, |pen| {
        pen.rotate(-16, |pen| {
            pen.slab(Light, (-4, -26), (144, 24), 3);
            pen.fill(
                Dark,
                "M12 -2L-4 -26H20L36 -2ZM60 -2L44 -26H68L84 -2ZM108 -2L92 -26H116L132 -2Z",
            );
        });
    });
    pen.dot(Accent, -66, -20, 7);
    pen.fill(Accent, "M-12 54L24 40L-12 26Z");
}

pub(crate) fn museum(pen: &mut Pen<'_>) {
    pen.fill(Shade, "M-240 76H240V130H-240Z");
    pen.fill(Main, "M0 -82L80 -34H-80Z");
    pen.fill(Deep, "M0 -66L48 -40H-48Z");
    pen.dot(Accent, 0, -50, 7);
    pen.slab(Light, (-74, -34), (148, 12), 0);
    for x in [-60, -26, 8, 42] {
        pen.slab(Light, (x, -18), (18, 74), 2);
        pen.slab(Pale, (x + 10, -18), (5, 74), 0);
        pen.slab(Main, (x - 4, -22), (26, 8), 2);
        pen.slab(Main, (x - 4, 52), (26, 8), 2);
    }
    pen.slab(Light, (-74, 60), (148, 9), 0);
    pen.slab(Pale, (-84, 69), (168, 9), 0);
}

pub(crate) fn circus(pen: &mut Pen<'_>) {
    pen.fill(Shade, "M-240 74H240V130H-240Z");
    pen.line(Dark, 4, "M0 -66V-98");
    pen.fill(Accent, "M0 -98L34 -88L0 -78Z");
    pen.fill(Main, "M0 -68L78 0L66 80H-66L-78 0Z");
    pen.both(|pen| {
        pen.fill(
            Light,
            "M0 -68L16 0H0ZM0 -68L34 0L30 80H44L54 0ZM16 0H34L30 80H14Z",
        );
        pen.fill(Main, "M0 -68L34 0H16ZM16 0H34L30 80H14Z");
        pen.fill(Light, "M34 0H56L48 80H30ZM0 -68L56 0H34Z");
        for x in [4, 22, 41, 60] {
            pen.at(x, 0, 1.0, |pen| {
                pen.fill(Accent, "M-10 0H10C10 14 -10 14 -10 0Z");
            });
        }
    });
    pen.fill(Dark, "M0 14C10 36 16 58 18 80H-18C-16 58 -10 36 0 14Z");
}
