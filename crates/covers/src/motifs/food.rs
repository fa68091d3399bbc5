//! Food and drink.

use crate::pen::{
    Ink::{Accent, Dark, Deep, Light, Main, Pale, Shade, Third},
    Pen,
};

pub(crate) fn coffee(pen: &mut Pen<'_>) {
    pen.oval(Shade, (0, 76), 84, 11);
    pen.oval(Light, (0, 68), 76, 11);
    pen.ring(Main, 11, (56, 10), 20);
    pen.fill(Main, "M-58 -20H58C58 30 40 66 0 66S-58 30 -58 -20Z");
    pen.fill(
        Deep,
        "M-58 -20H-40C-40 30 -22 60 0 66C-40 66 -58 30 -58 -20Z",
    );
    pen.oval(Light, (0, -20), 58, 14);
    pen.oval(Dark, (0, -19), 50, 10);
    pen.fill(
        Accent,
        "M0 -12C-14 -16 -20 -22 -12 -25C-6 -27 0 -23 0 -22C0 -23 6 -27 12 -25C20 -22 14 -16 0 -12Z",
    );
    pen.steam(0, -44);
}

pub(crate) fn tea(pen: &mut Pen<'_>) {
    pen.oval(Shade, (0, 66), 70, 10);
    pen.line(Deep, 12, "M-44 -6C-82 -16 -82 44 -42 38");
    pen.fill(Main, "M38 30C56 26 50 -16 76 -26L84 -14C70 -4 74 40 40 54Z");
    pen.oval(Main, (0, 18), 56, 48);
    pen.fill(Pale, "M-40 8C-34 -14 -18 -22 -2 -24C-18 -12 -28 0 -30 20Z");
    pen.fill(Accent, "M-36 -18C-20 -36 20 -36 36 -18Z");
    pen.dot(Accent, 0, -38, 9);
    pen.line(Light, 4, "M-30 40C-10 54 12 54 30 40");
    pen.fan(1, |pen| pen.steam(76, -44));
    pen.dots(Light, 6, &[(0, 10), (12, 18), (7, 30), (-7, 30), (-12, 18)]);
    pen.dot(Accent, 0, 21, 6);
}

pub(crate) fn beer(pen: &mut Pen<'_>) {
    pen.oval(Shade, (0, 82), 60, 8);
    pen.line(Light, 13, "M38 -24C84 -30 84 44 38 42");
    pen.slab(Main, (-48, -40), (90, 122), 10);
    for x in [-34, -10, 14] {
        pen.slab(Pale, (x, -20), (13, 88), 6);
    }
    pen.slab(Light, (-52, -48), (98, 22), 11);
    for (x, y, r) in [(-40, -52, 19), (-12, -62, 24), (20, -56, 20), (40, -46, 14)] {
        pen.dot(Light, x, y, r);
    }
    pen.line(Light, 13, "M30 -36V-8");
}

pub(crate) fn wine(pen: &mut Pen<'_>) {
    pen.oval(Shade, (0, 84), 74, 8);
    pen.fill(
        Deep,
        "M-54 -88H-32V-48C-32 -34 -14 -28 -14 -4V84H-72V-4C-72 -28 -54 -34 -54 -48Z",
    );
    pen.slab(Accent, (-56, -92), (26, 22), 3);
    pen.slab(Light, (-72, 12), (58, 44), 0);
    pen.line(Main, 3, "M-60 24H-26M-60 34H-34M-60 44H-26");
    pen.fill(Light, "M4 -40H68C70 4 60 28 36 28S2 4 4 -40Z");
    pen.fill(Main, "M6 -12H66C64 10 54 22 36 22S8 10 6 -12Z");
    pen.slab(Light, (33, 26), (6, 52), 0);
    pen.oval(Light, (36, 80), 28, 5);
}

pub(crate) fn cocktail(pen: &mut Pen<'_>) {
    pen.oval(Shade, (0, 86), 50, 7);
    pen.line(Dark, 5, "M14 2L56 -92");
    pen.fill(Light, "M-70 -52H70L6 24H-6Z");
    pen.fill(Main, "M-54 -42H54L4 18H-4Z");
    pen.fill(Accent, "M-54 -42H54L40 -26H-40Z");
    pen.slab(Light, (-4, 16), (8, 66), 0);
    pen.oval(Light, (0, 84), 34, 6);
    pen.at(-54, -58, 1.0, |pen| {
        pen.dot(Third, 0, 0, 26);
        pen.dot(Light, 0, 0, 20);
        pen.fan(8, |pen| pen.fill(Third, "M0 -3L-6 -17H6Z"));
    });
}

pub(crate) fn cooking(pen: &mut Pen<'_>) {
    pen.fill(Shade, "M-240 70H240V130H-240Z");
    pen.both(|pen| pen.line(Dark, 11, "M54 2C80 2 80 22 56 24"));
    pen.slab(Main, (-60, -14), (120, 88), 16);
    pen.fill(Deep, "M-60 -14H-36V74H-44A16 16 0 0 1 -60 58Z");
    pen.slab(Light, (-66, -24), (132, 14), 7);
    pen.fill(Accent, "M-56 -24C-50 -48 50 -48 56 -24Z");
    pen.dot(Dark, 0, -46, 10);
    pen.slab(Pale, (-24, 18), (70, 9), 4);
    pen.steam(0, -64);
}

pub(crate) fn cake(pen: &mut Pen<'_>) {
    pen.oval(Light, (0, 78), 78, 10);
    pen.slab(Main, (-62, 22), (124, 54), 8);
    pen.slab(Accent, (-44, -22), (88, 46), 8);
    pen.fill(Light, "M-62 28H62V40C54 54 46 54 42 42C36 56 24 56 20 42C14 56 2 56 -2 42C-8 56 -20 56 -24 42C-30 56 -40 56 -44 42C-50 54 -58 52 -62 40Z");
    pen.fill(
        Pale,
        "M-44 -16H44V-6C36 8 28 6 24 -4C18 10 8 8 4 -4C-2 10 -12 8 -16 -4C-22 10 -36 8 -44 -6Z",
    );
    for (x, ink) in [(-24, Third), (0, Dark), (24, Third)] {
        pen.slab(ink, (x - 4, -54), (8, 34), 2);
        pen.at(x, -58, 1.0, |pen| {
            pen.fill(Light, "M0 4C-12 -2 -4 -14 0 -24C4 -14 12 -2 0 4Z");
            pen.fill(Accent, "M0 2C-5 -2 -2 -7 0 -11C2 -7 5 -2 0 2Z");
        });
    }
}

pub(crate) fn bread(pen: &mut Pen<'_>) {
    pen.oval(Shade, (0, 52), 82, 10);
    pen.fill(
        Main,
        "M-78 26C-84 -34 -40 -58 0 -58S84 -34 78 26C76 64 -76 64 -78 26Z",
    );
    pen.fill(Deep, "M-78 26C-76 64 76 64 78 26C60 46 -60 46 -78 26Z");
    for x in [-42, -8, 26] {
        pen.at(x, -14, 1.0, |pen| {
            pen.fill(Light, "M-8 22C-18 -4 -8 -24 12 -32C22 -22 12 10 -8 22Z");
        });
    }
    pen.at(58, -66, 0.8, |pen| {
        pen.line(Accent, 4, "M-40 60L10 -30");
        for (x, y) in [(-26, 38), (-16, 20), (-6, 2), (4, -16)] {
            pen.at(x, y, 1.0, |pen| {
                pen.fill(Accent, "M0 0C-18 -4 -22 -18 -18 -26C-6 -22 0 -12 0 0ZM0 0C4 -14 14 -20 26 -18C24 -6 12 2 0 0Z");
            });
        }
    });
}

pub(crate) fn pizza(pen: &mut Pen<'_>) {
    pen.rotate(12, |pen| {
        pen.fill(Accent, "M-60 -50C-30 -62 30 -62 60 -50L4 88H-4Z");
        pen.line(Deep, 20, "M-62 -54C-30 -70 30 -70 62 -54");
        pen.line(Pale, 5, "M-58 -58C-30 -72 30 -72 52 -62");
        for (x, y, r) in [(-24, -30, 15), (24, -26, 14), (-4, 14, 14), (4, 52, 9)] {
            pen.dot(Main, x, y, r);
            pen.dot(Deep, x - 3, y - 3, r / 4);
        }
        pen.dots(
            Light,
            5,
            &[(2, -40), (-16, -4), (18, 8), (-2, 36), (36, -40)],
        );
        pen.fill(
            Accent,
            "M-46 -20L-34 12C-42 18 -48 8 -46 -20ZM22 42L14 62C20 72 28 62 22 42Z",
        );
    });
}

pub(crate) fn dinner(pen: &mut Pen<'_>) {
    pen.at(0, 0, 0.82, plate);
}

fn plate(pen: &mut Pen<'_>) {
    pen.dot(Shade, 3, 6, 62);
    pen.dot(Light, 0, 0, 60);
    pen.ring(Pale, 3, (0, 0), 42);
    pen.fill(Accent, "M-24 12C-30 -20 0 -34 24 -22C36 10 8 30 -24 12Z");
    pen.line(
        Dark,
        3,
        "M-26 16C-10 4 6 -8 18 -18M-8 4L-14 -10M4 -6L0 -20M-4 2L10 6",
    );
    pen.dots(Main, 8, &[(20, 18), (8, 26), (28, 4)]);
    pen.at(-84, 0, 1.0, |pen| {
        pen.line(Dark, 6, "M0 -10V72");
        pen.line(Dark, 4, "M-12 -62V-34C-12 -14 12 -14 12 -34V-62M0 -62V-20");
    });
    pen.at(84, 0, 1.0, |pen| {
        pen.line(Dark, 6, "M0 0V72");
        pen.fill(Dark, "M-3 10V-64C16 -50 14 -10 3 10Z");
    });
}

pub(crate) fn barbecue(pen: &mut Pen<'_>) {
    pen.oval(Shade, (0, 88), 60, 7);
    pen.line(Dark, 6, "M-24 36L-46 88M24 36L46 88M0 40V70");
    pen.slab(Dark, (-66, -2), (132, 9), 4);
    pen.fill(Main, "M-62 8H62C58 36 32 50 0 50S-58 36 -62 8Z");
    for (x, scale) in [(-34, 0.9), (0, 1.2), (34, 0.9)] {
        pen.at(x, -4, scale, |pen| {
            pen.fill(Accent, "M-16 0C-24 -22 -2 -32 -4 -56C16 -42 24 -20 16 0Z");
            pen.fill(Light, "M-7 0C-10 -12 0 -18 2 -28C12 -18 12 -8 7 0Z");
        });
    }
    pen.line(Light, 4, "M-78 -14L78 -14");
    for (x, ink) in [
        (-54, Third),
        (-26, Deep),
        (0, Third),
        (26, Deep),
        (54, Third),
    ] {
        pen.slab(ink, (x - 11, -26), (22, 22), 7);
    }
    pen.slab(Pale, (-24, 20), (48, 7), 3);
}

pub(crate) fn ice_cream(pen: &mut Pen<'_>) {
    pen.fill(Third, "M-36 6H36L0 96Z");
    pen.line(
        Light,
        2,
        "M-26 8L14 62M-6 8L22 42M26 8L-14 62M6 8L-22 42M-34 22L6 82M34 22L-6 82",
    );
    pen.dot(Main, 0, -56, 32);
    pen.dot(Accent, -24, -14, 30);
    pen.dot(Light, 24, -14, 30);
    pen.fill(
        Accent,
        "M-54 -10C-50 18 -30 18 -24 10C-18 20 0 18 2 6V-14H-54Z",
    );
    pen.fill(Light, "M0 6C4 20 18 18 24 10C30 20 50 16 54 -10H0Z");
    pen.dot(Dark, 12, -90, 9);
    pen.line(Dark, 3, "M12 -92C14 -102 22 -106 30 -104");
    pen.line(Pale, 5, "M-20 -62C-18 -72 -12 -78 -4 -80");
}

pub(crate) fn noodles(pen: &mut Pen<'_>) {
    pen.line(Dark, 5, "M20 -4L70 -92M34 -2L86 -84");
    pen.dot(Light, -30, -12, 26);
    pen.dot(Accent, -30, -12, 13);
    for x in [-4, 12, 28, 44] {
        pen.at(x, 0, 1.0, |pen| {
            pen.line(Third, 7, "M-14 8C-16 -24 10 -24 10 8");
        });
    }
    pen.fill(Main, "M-74 0H74C74 44 40 66 0 66S-74 44 -74 0Z");
    pen.fill(Deep, "M-30 62H30V76H-30Z");
    pen.slab(Light, (-78, -4), (156, 10), 5);
    pen.line(Pale, 4, "M-58 24L-50 34L-42 24L-34 34L-26 24L-18 34L-10 24L-2 34L6 24L14 34L22 24L30 34L38 24L46 34L54 24");
    pen.steam(-46, -50);
}

pub(crate) fn fruit(pen: &mut Pen<'_>) {
    pen.fill(Main, "M0 -28C-20 -46 -66 -38 -66 10C-66 52 -34 84 -14 80C-6 78 6 78 14 80C34 84 66 52 66 10C66 -38 20 -46 0 -28Z");
    pen.fill(
        Deep,
        "M44 -30C56 -20 66 -8 66 10C66 52 34 84 14 80C44 60 56 10 44 -30Z",
    );
    pen.line(Dark, 7, "M0 -28C-2 -46 2 -58 12 -72");
    pen.fill(Accent, "M6 -50C14 -78 44 -84 62 -78C58 -52 34 -40 6 -50Z");
    pen.line(Light, 2, "M10 -52C26 -60 40 -68 54 -74");
    pen.line(Light, 8, "M-48 4C-48 -10 -42 -20 -32 -24");
}
