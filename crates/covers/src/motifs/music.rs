//! Music and dance.

use crate::pen::{
    Ink::{Accent, Dark, Deep, Glow, Light, Main, Pale, Shade},
    Pen,
};

pub(crate) fn microphone(pen: &mut Pen<'_>) {
    pen.rotate(28, |pen| {
        pen.line(Dark, 5, "M0 84C0 120 40 110 60 130");
        pen.fill(Dark, "M-19 -14H19L11 86H-11Z");
        pen.fill(Deep, "M-19 -14H-4L-3 86H-11Z");
        pen.dot(Light, 0, -46, 36);
        pen.line(
            Main,
            3,
            "M-34 -58H34M-36 -44H36M-34 -30H34M-16 -78V-14M0 -82V-12M16 -78V-14",
        );
        pen.slab(Accent, (-30, -20), (60, 14), 7);
        pen.slab(Accent, (-5, 12), (10, 20), 5);
    });
}

pub(crate) fn saxophone(pen: &mut Pen<'_>) {
    pen.rotate(8, |pen| {
        pen.line(Main, 9, "M-6 -64C-8 -90 -28 -92 -46 -82");
        pen.line(Dark, 10, "M-46 -82L-62 -74");
        pen.fill(Main, "M-14 -64H2L22 30C26 48 40 48 41 32L38 2C37 -10 32 -18 22 -26L92 -34C80 -20 76 -8 76 4L76 36C74 92 6 96 -4 46Z");
        pen.fill(Deep, "M22 -26L92 -34C86 -22 40 -16 22 -26Z");
        pen.line(Light, 4, "M-8 -46L14 52C18 70 34 76 48 70");
        pen.dots(Light, 7, &[(-2, -38), (4, -14), (9, 10)]);
        pen.dots(Accent, 5, &[(18, -22), (23, 0), (58, 20), (57, 38)]);
        pen.line(Accent, 4, "M24 -18L30 12");
    });
    pen.at(-52, 30, 0.62, eighth);
    pen.at(44, -66, 0.45, eighth);
}

fn eighth(pen: &mut Pen<'_>) {
    pen.rotate(-20, |pen| pen.oval(Dark, (-14, 24), 17, 13));
    pen.line(Dark, 7, "M10 24V-40");
    pen.fill(Dark, "M7 -44C14 -28 36 -22 30 8C28 -10 16 -14 7 -16Z");
}

pub(crate) fn notes(pen: &mut Pen<'_>) {
    for y in [-40, -20, 0, 20, 40] {
        pen.slab(Glow, (-200, y), (400, 3), 0);
    }
    for x in [-38, 30] {
        pen.at(x, 46, 1.0, |pen| {
            pen.rotate(-22, |pen| pen.oval(Main, (0, 0), 24, 17));
        });
    }
    pen.fill(Main, "M-22 44V-46L58 -66V26H46V-30L-10 -16V44Z");
    pen.fill(Light, "M-22 -40L58 -60V-66L-22 -46Z");
    pen.at(60, 66, 0.5, eighth);
    pen.at(-62, -48, 0.55, eighth);
}

pub(crate) fn guitar(pen: &mut Pen<'_>) {
    pen.rotate(32, |pen| {
        pen.slab(Dark, (-7, -88), (14, 90), 2);
        pen.fill(Dark, "M-11 -108H11L9 -82H-9Z");
        pen.dots(Accent, 4, &[(-15, -102), (15, -102), (-15, -91), (15, -91)]);
        pen.fill(Main, "M0 -20C30 -22 36 6 28 20C28 28 48 34 46 62C44 92 24 98 0 98S-44 92 -46 62C-48 34 -28 28 -28 20C-36 6 -30 -22 0 -20Z");
        pen.dot(Accent, 0, 24, 19);
        pen.dot(Dark, 0, 24, 15);
        pen.slab(Dark, (-18, 66), (36, 8), 3);
        pen.line(Light, 1, "M-5 -100V68M-2 -100V68M2 -100V68M5 -100V68");
        for y in [-70, -54, -40, -28] {
            pen.slab(Light, (-7, y), (14, 2), 0);
        }
    });
}

pub(crate) fn piano(pen: &mut Pen<'_>) {
    pen.fill(
        Dark,
        "M-70 44V-30C-70 -92 -16 -102 6 -58C16 -36 34 -34 52 -28C66 -22 70 -10 70 6V44Z",
    );
    pen.fill(
        Main,
        "M-60 38V-28C-60 -78 -20 -88 -2 -52C10 -28 30 -26 46 -20C56 -16 60 -8 60 8V38Z",
    );
    pen.line(Light, 2, "M-46 30L-36 -60M-34 30L-22 -56M-22 30L-8 -44M-10 30L8 -24M4 30L24 -18M18 30L40 -12M32 30L50 -4");
    pen.slab(Dark, (-76, 40), (152, 46), 5);
    pen.slab(Light, (-68, 46), (136, 36), 2);
    for x in 0..10 {
        let x = -68 + 14 * x;
        pen.slab(Dark, (x - 1, 46), (2, 36), 0);
        if ![-68, -26, 30].contains(&x) {
            pen.slab(Dark, (x - 4, 46), (8, 22), 1);
        }
    }
}

pub(crate) fn record(pen: &mut Pen<'_>) {
    pen.dot(Dark, -8, 6, 76);
    for radius in [68, 60, 52, 44] {
        pen.ring(Deep, 1, (-8, 6), radius);
    }
    pen.at(-8, 6, 1.0, |pen| {
        pen.rotate(30, |pen| {
            pen.both(|pen| pen.fill(Shade, "M10 -34L20 -70A72 72 0 0 1 44 -56L22 -28Z"));
        });
    });
    pen.dot(Main, -8, 6, 30);
    pen.dot(Accent, -8, 6, 17);
    pen.dot(Light, -8, 6, 5);
    pen.line(Light, 6, "M64 -74L60 0L34 34");
    pen.dot(Light, 64, -76, 13);
    pen.dot(Dark, 64, -76, 5);
    pen.rotate(0, |pen| pen.line(Accent, 12, "M36 31L29 41"));
}

pub(crate) fn disco(pen: &mut Pen<'_>) {
    pen.at(0, 4, 1.0, |pen| {
        pen.fan(12, |pen| pen.fill(Glow, "M0 0L-16 -240H16Z"));
    });
    pen.line(Dark, 3, "M0 -110V-56");
    pen.slab(Dark, (-9, -64), (18, 12), 3);
    pen.dot(Main, 0, 4, 60);
    pen.fill(Deep, "M30 -48A60 60 0 0 1 -52 34A64 64 0 0 0 30 -48Z");
    pen.fill(Pale, "M-50 -14A54 54 0 0 1 6 -52L10 -30L-22 -8Z");
    pen.line(
        Dark,
        2,
        "M-52 -24H52M-59 -6H59M-60 12H60M-54 30H54M-40 47H40M-38 -42H38",
    );
    pen.line(Dark, 2, "M0 -56V64M0 -56C-34 -30 -34 38 0 64M0 -56C34 -30 34 38 0 64M-22 -52C-66 -20 -60 36 -22 60M22 -52C66 -20 60 36 22 60");
    for (x, y, size) in [
        (-18, -20, 2.2),
        (40, 26, 1.4),
        (-64, -60, 1.5),
        (62, -44, 2.0),
        (-58, 62, 1.1),
    ] {
        pen.spark(Light, x, y, size);
    }
}

pub(crate) fn violin(pen: &mut Pen<'_>) {
    pen.rotate(24, |pen| {
        pen.slab(Dark, (-5, -88), (10, 80), 2);
        pen.line(Dark, 8, "M0 -88C2 -100 -12 -102 -10 -92");
        pen.line(Dark, 4, "M-13 -82H13M-13 -73H13");
        pen.fill(Main, "M0 -28C26 -30 34 -8 28 6C16 12 16 28 30 36C42 60 30 86 0 86S-42 60 -30 36C-16 28 -16 12 -28 6C-34 -8 -26 -30 0 -28Z");
        pen.both(|pen| pen.line(Dark, 3, "M16 14C10 22 20 34 14 44"));
        pen.slab(Accent, (-12, 46), (24, 5), 2);
        pen.fill(Dark, "M-7 56H7L4 80H-4Z");
        pen.line(Light, 1, "M-3 -84L-4 60M0 -84V60M3 -84L4 60");
    });
    pen.line(Accent, 4, "M-66 66L62 -72");
    pen.line(Light, 2, "M-58 68L66 -66");
}

pub(crate) fn drums(pen: &mut Pen<'_>) {
    pen.fill(Main, "M-62 -14V50C-62 80 62 80 62 50V-14Z");
    pen.line(Light, 4, "M-62 -8L-46 66L-24 6L0 74L24 6L46 66L62 -8");
    pen.line(Accent, 9, "M-62 50C-62 82 62 82 62 50");
    pen.oval(Accent, (0, -14), 65, 26);
    pen.oval(Light, (0, -16), 56, 20);
    pen.line(Dark, 8, "M-66 -84L14 -16M70 -78L-6 -22");
    pen.dots(Dark, 8, &[(16, -14), (-8, -20)]);
}

pub(crate) fn dance(pen: &mut Pen<'_>) {
    pen.oval(Shade, (0, 86), 46, 7);
    pen.limb(Light, 8, &[(4, -32), (-26, -54), (-18, -86)]);
    pen.limb(Light, 8, &[(4, -32), (40, -50), (62, -78)]);
    pen.limb(Light, 10, &[(-2, 16), (-8, 52), (-6, 84)]);
    pen.limb(Light, 10, &[(8, 16), (40, 30), (66, 12)]);
    pen.fill(
        Main,
        "M-8 -40H14L12 -12C30 0 52 6 66 26C30 44 -40 48 -62 36C-44 18 -20 4 -8 -12Z",
    );
    pen.fill(Accent, "M-8 -10C-20 6 -44 22 -62 36C-40 36 -16 26 0 -10Z");
    pen.line(Light, 8, "M4 -40V-54");
    pen.dot(Light, 6, -64, 13);
    pen.fill(Dark, "M-8 -66A14 14 0 0 1 20 -66C12 -74 2 -74 -8 -66Z");
    pen.dot(Dark, 2, -80, 7);
}
