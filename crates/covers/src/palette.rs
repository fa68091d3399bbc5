//! The colours that covers come in.

use super::colour::Colour;

/// Colours that go together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Palette {
    /// Behind everything.
    pub(super) ground: Colour,
    /// The title. Stands off from `ground` by at least 7 : 1 (a test holds every palette to it).
    pub(super) ink: Colour,
    /// The picture's colours, the leading one first.
    pub(super) shapes: [Colour; 4],
    /// Three that shade into each other without turning grey between, the one nearest to the ground first.
    pub(super) glow: [Colour; 3],
}

impl Palette {
    /// For what matters less than the title.
    pub(super) fn quiet_ink(&self) -> Colour {
        self.ink.mix(self.ground, 0.17)
    }

    /// Its darkest and its lightest colour.
    pub(super) fn ends(&self) -> (Colour, Colour) {
        let black = Colour::hex(0);
        if self.ink.distance(black) < self.ground.distance(black) {
            (self.ink, self.ground)
        } else {
            (self.ground, self.ink)
        }
    }
}

const fn palette(ground: u32, ink: u32, shapes: [u32; 4], glow: [u32; 3]) -> Palette {
    let [lead, second, third, fourth] = shapes;
    let [far, middle, near] = glow;
    Palette {
        ground: Colour::hex(ground),
        ink: Colour::hex(ink),
        shapes: [
            Colour::hex(lead),
            Colour::hex(second),
            Colour::hex(third),
            Colour::hex(fourth),
        ],
        glow: [Colour::hex(far), Colour::hex(middle), Colour::hex(near)],
    }
}

/// All palettes; the words choose one.
pub(super) const PALETTES: [Palette; 14] = [
    // Midnight: navy with signal red, amber and sky.
    palette(
        0x0b_1230,
        0xf6_f1e7,
        [0xff_5a3c, 0xff_c145, 0x4d_82ff, 0xf5_a8d0],
        [0x5b_2a86, 0xff_5a3c, 0xff_c145],
    ),
    // Paper: warm white with vermilion, teal and mustard.
    palette(
        0xf5_eee1,
        0x1b_1916,
        [0xe4_512b, 0x12_8c7e, 0xf4_b41a, 0x22_3a5e],
        [0xf4_b41a, 0xe4_512b, 0x9c_2a4a],
    ),
    // Forest: deep green with marigold, coral and sage.
    palette(
        0x0f_2e28,
        0xf4_f0de,
        [0xf2_ad2e, 0xef_5b41, 0x79_b791, 0xd9_e7c4],
        [0x1f_6b4f, 0x79_b791, 0xf2_d06b],
    ),
    // Cobalt: electric blue with coral, lemon and mint.
    palette(
        0x1b_2fd0,
        0xff_ffff,
        [0xff_7657, 0xff_dc51, 0x98_ebcd, 0x0a_1374],
        [0x7a_3df0, 0xff_7657, 0xff_dc51],
    ),
    // Blush: shell pink with crimson, plum and tangerine.
    palette(
        0xfd_e1d8,
        0x38_0f2a,
        [0xf2_3f5d, 0x6d_1f8f, 0xff_9040, 0xf9_b3b9],
        [0xff_b38a, 0xf2_3f5d, 0x6d_1f8f],
    ),
    // Plum: aubergine with hot pink, orange and cyan.
    palette(
        0x26_0d3a,
        0xfb_f0ff,
        [0xff_4b98, 0xff_a048, 0x7a_5cff, 0x3f_dad6],
        [0x7a_3cff, 0xff_4b98, 0xff_a048],
    ),
    // Butter: sunny yellow with red-orange, ultramarine and white.
    palette(
        0xff_d84d,
        0x19_1713,
        [0xf9_5335, 0x29_46e8, 0xff_fbef, 0xf4_93b5],
        [0xff_a23d, 0xf9_5335, 0xb3_206b],
    ),
    // Mint: cool green with pine, coral and honey.
    palette(
        0xcd_efe0,
        0x0c_2827,
        [0x0e_7868, 0xff_6847, 0xff_c650, 0x15_3d5b],
        [0x7f_d6b4, 0x0e_7868, 0x15_3d5b],
    ),
    // Brick: oxblood with peach, gold and rose.
    palette(
        0x6d_1a1d,
        0xff_f1e2,
        [0xff_8a5c, 0xf7_c548, 0xf2_b8a8, 0x2c_0c14],
        [0xb2_3a2e, 0xff_8a5c, 0xf7_c548],
    ),
    // Graphite: near-black with acid lime and greys.
    palette(
        0x14_1618,
        0xf4_f4f1,
        [0xd2_fb3c, 0x6e_747c, 0xf4_f4f1, 0x35_3a40],
        [0x3d_4a12, 0x8f_b21c, 0xd2_fb3c],
    ),
    // Sky: pale blue with royal, tomato and sun.
    palette(
        0xd9_e9ff,
        0x0a_1d42,
        [0x2b_64f6, 0xff_6a3e, 0xff_c83d, 0x0c_2a6b],
        [0x9c_c4ff, 0x2b_64f6, 0x3a_1fa8],
    ),
    // Lilac: lavender with violet, rose and amber.
    palette(
        0xe4_dbff,
        0x1d_1046,
        [0x67_3af0, 0xff_6a9e, 0xff_b51a, 0x2b_b9ae],
        [0xff_a8c8, 0x9b_4df2, 0x4a_22c9],
    ),
    // Petrol: dark teal with cream, apricot and turquoise.
    palette(
        0x05_343f,
        0xfd_f3df,
        [0xff_9b54, 0xfd_e3b0, 0x1f_b5a8, 0xe2_504a],
        [0x0f_7d78, 0x1f_b5a8, 0xfd_e3b0],
    ),
    // Clay: sand with terracotta, ink blue and olive.
    palette(
        0xea_dac4,
        0x20_1a1c,
        [0xc4_4a2b, 0x26_3f73, 0xe6_a53d, 0x6c_7a3f],
        [0xe6_a53d, 0xc4_4a2b, 0x6e_1f33],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_title_can_be_read_on_its_ground() {
        for palette in PALETTES {
            let contrast = palette.ink.contrast(palette.ground);
            assert!(contrast >= 7.0, "{palette:?} has {contrast}");
        }
    }

    #[test]
    fn the_lines_below_a_title_can_be_read_too() {
        for palette in PALETTES {
            let contrast = palette.quiet_ink().contrast(palette.ground);
            assert!(contrast >= 4.5, "{palette:?} has {contrast}");
        }
    }

    #[test]
    fn the_leading_shape_of_every_palette_is_seen_on_its_ground() {
        for palette in PALETTES {
            let contrast = palette.shapes[0].contrast(palette.ground);
            assert!(contrast >= 2.0, "{palette:?} has {contrast}");
        }
    }
}
