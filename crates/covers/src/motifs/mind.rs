//! Learning, work and technology.

use crate::pen::{
    Ink::{Accent, Back, Dark, Deep, Glow, Light, Main, Pale, Third},
    Pen,
};

pub(crate) fn code(pen: &mut Pen<'_>) {
    pen.slab(Dark, (-64, -62), (128, 96), 9);
    pen.slab(Main, (-56, -54), (112, 80), 4);
    pen.line(
        Light,
        9,
        "M-22 -34L-42 -14L-22 6M22 -34L42 -14L22 6M8 -40L-8 12",
    );
    pen.fill(
        Light,
        "M-82 38H82C82 52 76 56 66 56H-66C-76 56 -82 52 -82 38Z",
    );
    pen.slab(Accent, (-18, 38), (36, 7), 3);
}

pub(crate) fn robot(pen: &mut Pen<'_>) {
    pen.line(Dark, 5, "M0 -52V-74");
    pen.dot(Accent, 0, -80, 10);
    pen.both(|pen| pen.slab(Dark, (52, -26), (22, 38), 6));
    pen.slab(Main, (-58, -54), (116, 92), 22);
    pen.slab(Dark, (-44, -36), (88, 44), 18);
    pen.both(|pen| {
        pen.dot(Light, 20, -14, 13);
        pen.dot(Accent, 20, -14, 6);
    });
    pen.line(Light, 5, "M-18 22C-8 30 8 30 18 22");
    pen.slab(Pale, (-18, 38), (36, 12), 0);
    pen.fill(Deep, "M-64 96C-64 60 -40 48 0 48S64 60 64 96V110H-64Z");
    pen.dots(Light, 6, &[(-20, 76), (0, 76), (20, 76)]);
}

pub(crate) fn rocket(pen: &mut Pen<'_>) {
    for (x, y, size) in [
        (-60, -60, 1.4),
        (58, -30, 1.0),
        (-52, 30, 0.9),
        (62, 66, 1.3),
        (-70, 78, 0.7),
    ] {
        pen.spark(Light, x, y, size);
    }
    pen.rotate(24, |pen| {
        pen.fill(Accent, "M-18 48C-24 74 -8 78 0 108C8 78 24 74 18 48Z");
        pen.fill(Light, "M-9 48C-12 64 -2 68 0 84C2 68 12 64 9 48Z");
        pen.both(|pen| pen.fill(Third, "M24 8C46 20 50 40 46 62L18 44Z"));
        pen.fill(
            Main,
            "M0 -98C34 -66 36 -10 20 50H-20C-36 -10 -34 -66 0 -98Z",
        );
        pen.fill(Deep, "M0 -98C34 -66 36 -10 20 50H6C18 -10 18 -60 0 -98Z");
        pen.fill(
            Accent,
            "M0 -98C14 -85 22 -70 26 -54H-26C-22 -70 -14 -85 0 -98Z",
        );
        pen.dot(Light, 0, -26, 16);
        pen.dot(Dark, 0, -26, 11);
    });
}

pub(crate) fn chart(pen: &mut Pen<'_>) {
    for (x, top, ink) in [
        (-66, 30, Third),
        (-32, 6, Accent),
        (2, 16, Third),
        (36, -26, Main),
    ] {
        pen.slab(ink, (x, top), (26, 74 - top), 4);
    }
    pen.line(Light, 7, "M-66 4L-22 -30L12 -14L60 -66");
    pen.line(Light, 7, "M38 -68L62 -68L62 -44");
    pen.slab(Dark, (-78, 74), (156, 7), 3);
}

pub(crate) fn idea(pen: &mut Pen<'_>) {
    pen.at(0, -14, 1.0, |pen| {
        pen.fan(10, |pen| pen.line(Glow, 7, "M0 -70V-88"));
    });
    pen.fill(
        Main,
        "M-22 40C-22 18 -52 10 -52 -22A52 52 0 0 1 52 -22C52 10 22 18 22 40Z",
    );
    pen.line(Light, 8, "M-36 -24A36 36 0 0 1 -12 -56");
    pen.line(Dark, 4, "M-8 40V2L-18 -10M8 40V2L18 -10M-8 2H8");
    for y in [44, 56, 68] {
        pen.slab(Dark, (-20, y), (40, 9), 4);
    }
    pen.slab(Dark, (-10, 80), (20, 8), 4);
}

pub(crate) fn talk(pen: &mut Pen<'_>) {
    pen.fill(Main, "M-56 -72H30C46 -72 54 -62 54 -48V-14C54 0 46 10 30 10H-26L-52 34V10C-66 8 -74 0 -74 -14V-48C-74 -62 -66 -72 -56 -72Z");
    pen.dots(Light, 9, &[(-40, -31), (-10, -31), (20, -31)]);
    pen.fill(Accent, "M-14 26H54C68 26 76 34 76 46V60C76 72 68 78 60 78V98L38 80H-14C-28 80 -34 72 -34 60V46C-34 34 -28 26 -14 26Z");
    pen.line(Dark, 6, "M-14 44H56M-14 60H30");
}

pub(crate) fn stage(pen: &mut Pen<'_>) {
    pen.fill(Glow, "M-16 -130H16L96 130H-96Z");
    pen.dot(Light, 0, -56, 22);
    pen.fill(Dark, "M-24 -60A24 24 0 0 1 24 -60C10 -72 -8 -72 -24 -60Z");
    pen.fill(Main, "M-58 20C-58 -20 -30 -30 0 -30S58 -20 58 20Z");
    pen.fill(Light, "M-14 -30H14L0 -8Z");
    pen.fill(Accent, "M-70 12H70L52 96H-52Z");
    pen.fill(Deep, "M-76 4H76V18H-76Z");
    pen.line(Dark, 5, "M34 4C34 -18 20 -22 14 -26");
    pen.dot(Dark, 12, -27, 7);
    pen.spark(Light, 0, 52, 1.8);
}

pub(crate) fn science(pen: &mut Pen<'_>) {
    pen.fill(
        Light,
        "M-18 -74H18V-26L62 60C68 76 60 84 46 84H-46C-60 84 -68 76 -62 60L-18 -26Z",
    );
    pen.fill(
        Main,
        "M-37 20C-20 10 -8 30 10 22S30 14 37 20L56 58C60 68 56 76 46 76H-46C-56 76 -60 68 -56 58Z",
    );
    pen.slab(Dark, (-26, -82), (52, 12), 6);
    for (x, y, r) in [
        (-22, 48, 9),
        (8, 58, 12),
        (26, 40, 6),
        (0, 4, 6),
        (4, -22, 5),
        (-2, -96, 6),
    ] {
        pen.dot(Main, x, y, r);
    }
    pen.line(Pale, 5, "M-30 8L-44 36");
}

pub(crate) fn space(pen: &mut Pen<'_>) {
    for (x, y, size) in [
        (-62, -66, 1.2),
        (58, -72, 0.8),
        (66, 56, 1.3),
        (-54, 74, 0.9),
        (10, -88, 0.7),
        (-110, 10, 1.4),
        (130, -30, 1.2),
    ] {
        pen.spark(Light, x, y, size);
    }
    pen.rotate(-20, |pen| {
        pen.line(Accent, 9, "M-50 -8C-88 6 -88 20 -60 24");
        pen.dot(Main, 0, 0, 54);
        pen.fill(Deep, "M30 -45A54 54 0 0 1 -44 32A62 62 0 0 0 30 -45Z");
        pen.line(Pale, 8, "M-44 -24H10M-30 -38H-8M-50 2H-20");
        pen.line(Accent, 9, "M-62 24C-20 30 86 6 84 -14C82 -22 66 -22 50 -18");
    });
    pen.dot(Third, 58, 22, 12);
}

pub(crate) fn school(pen: &mut Pen<'_>) {
    pen.fill(Deep, "M-46 -6V40C-30 62 30 62 46 40V-6Z");
    pen.fill(Main, "M0 -56L84 -20L0 18L-84 -20Z");
    pen.fill(Pale, "M0 -56L84 -20L66 -12L0 -42L-66 -12L-84 -20Z");
    pen.line(Accent, 5, "M0 -20L62 -8V44");
    pen.dot(Accent, 0, -20, 7);
    pen.fill(Accent, "M55 40H69L74 78H50Z");
    pen.line(Light, 4, "M-46 24C-30 44 30 44 46 24");
}

pub(crate) fn people(pen: &mut Pen<'_>) {
    let person = |pen: &mut Pen<'_>, main: bool| {
        let (shirt, hair) = if main { (Main, Dark) } else { (Accent, Third) };
        pen.fill(shirt, "M-44 130C-46 34 -28 20 0 20S46 34 44 130Z");
        pen.dot(Light, 0, -10, 27);
        pen.fill(hair, "M-28 -10A28 28 0 0 1 28 -10C14 -26 -10 -28 -28 -10Z");
    };
    for x in [-52, 52] {
        pen.at(x, 4, 0.85, |pen| person(pen, false));
    }
    pen.fill(Back, "M-52 140C-54 42 -34 26 0 26S54 42 52 140Z");
    pen.at(0, 18, 1.0, |pen| person(pen, true));
    pen.at(0, -58, 1.0, |pen| {
        pen.fill(
            Accent,
            "M0 18C-30 -2 -22 -22 -8 -20C-3 -19 0 -14 0 -12C0 -14 3 -19 8 -20C22 -22 30 -2 0 18Z",
        );
    });
}

pub(crate) fn globe(pen: &mut Pen<'_>) {
    pen.dot(Main, 0, -8, 66);
    pen.fill(Accent, "M-50 -50C-30 -60 -10 -56 -6 -40C-2 -26 -24 -24 -22 -10C-20 4 -36 8 -44 -4C-52 -14 -62 -20 -60 -30ZM10 -6C24 -20 50 -18 60 -8C62 14 50 36 34 46C22 40 26 22 12 16C4 12 4 0 10 -6ZM14 -62C34 -58 46 -46 52 -38C40 -28 26 -36 16 -44Z");
    pen.fill(Deep, "M44 -58A66 66 0 0 1 -44 42A74 74 0 0 0 44 -58Z");
    pen.ring(Light, 4, (0, -8), 66);
    pen.line(
        Light,
        3,
        "M-66 -8H66M0 -74V58M0 -74C-46 -40 -46 24 0 58M0 -74C46 -40 46 24 0 58",
    );
    pen.line(Dark, 6, "M0 62V84M-30 88H30");
}

pub(crate) fn plane(pen: &mut Pen<'_>) {
    for (x, y, scale) in [
        (-48, 54, 1.0),
        (46, -66, 0.7),
        (66, 66, 0.6),
        (-150, -40, 1.0),
        (150, 10, 1.2),
    ] {
        pen.at(x, y, scale, |pen| {
            pen.fill(
                Glow,
                "M-40 16A16 16 0 0 1 -22 -8A24 24 0 0 1 20 -8A18 18 0 0 1 38 16Z",
            );
        });
    }
    pen.line(
        Light,
        4,
        "M-76 66C-60 40 -46 30 -34 26M-62 84C-50 66 -38 54 -24 48",
    );
    pen.rotate(45, |pen| {
        pen.fill(Main, "M0 -92C12 -84 14 -66 14 -44V-26L80 22V40L14 18V50L34 70V82L0 72L-34 82V70L-14 50V18L-80 40V22L-14 -26V-44C-14 -66 -12 -84 0 -92Z");
        pen.fill(Deep, "M0 -92C12 -84 14 -66 14 -44V-26L80 22V40L14 18V50L34 70V82L0 72Z");
        pen.fill(Light, "M-9 -66C-6 -74 6 -74 9 -66L6 -58H-6Z");
    });
}

pub(crate) fn business(pen: &mut Pen<'_>) {
    pen.line(
        Dark,
        9,
        "M-28 -34V-48C-28 -58 -22 -62 -14 -62H14C22 -62 28 -58 28 -48V-34",
    );
    pen.slab(Main, (-76, -34), (152, 104), 12);
    pen.fill(
        Deep,
        "M-76 -22C-76 -30 -72 -34 -64 -34H64C72 -34 76 -30 76 -22V6C40 24 -40 24 -76 6Z",
    );
    pen.slab(Accent, (-13, 8), (26, 24), 4);
    pen.line(Pale, 4, "M-64 58H64");
}

pub(crate) fn megaphone(pen: &mut Pen<'_>) {
    pen.at(-16, 6, 0.86, shout);
}

fn shout(pen: &mut Pen<'_>) {
    pen.rotate(-14, |pen| {
        pen.fill(Deep, "M-40 22H-14L-2 76H-28Z");
        pen.fill(Main, "M-16 -26L52 -66V58L-16 22Z");
        pen.slab(Accent, (-62, -26), (50, 48), 12);
        pen.oval(Light, (52, -4), 13, 62);
        pen.oval(Dark, (54, -4), 7, 44);
        pen.line(Light, 7, "M80 -34L98 -46M84 -4H106M80 26L98 38");
    });
}
