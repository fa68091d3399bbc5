//! What words mean: topics, each with the words that name it and its motif.

use std::ops::Range;

use super::{
    motifs::{Motif, craft, food, life, mind, music, nature, sport},
    pen::Hour,
};

/// Maximum number of words in one expression of the table.
const MAX_EXPRESSION: usize = 3;

/// What a cover can show.
#[derive(Debug, Clone, Copy)]
pub struct Topic {
    /// Its name, which also chooses it.
    pub name: &'static str,
    /// More words for it, separated by commas. One with a question mark counts only if no other word of the text has a topic.
    pub words: &'static str,
    pub(super) draw: Motif,
    pub(super) kind: Kind,
}

/// How a motif is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// In front of a field of colour.
    Thing,
    /// A landscape, at the hour that the words name.
    Landscape,
    /// A landscape that has one hour.
    At(Hour),
}

macro_rules! topics {
    ($($name:literal $words:literal $draw:path, $kind:expr;)*) => {
        &[$(Topic { name: $name, words: $words, draw: $draw, kind: $kind }),*]
    };
}

/// All topics, each with the words that choose it.
pub const TOPICS: &[Topic] = topics! {
    "beach" "beaches, coast, sea, seaside, ocean, island, shore, tropical, palm, surf, surfing, vacation, strand, meer, playa, \
        plage, summer?, sommer?"
        nature::beach, LANDSCAPE;
    "mountains" "mountain, alps, alpine, hike, hiking, trekking, summit, peak, trail, hill, wandern, berg, berge"
        nature::mountains, LANDSCAPE;
    "forest" "wood, woods, woodland, tree, nature, wilderness, jungle, wald, park?, outdoor?"
        nature::forest, LANDSCAPE;
    "lake" "river, canoe, canoeing, kayak, kayaking, rowing, paddle, paddling, fishing, waterfall, see?, fluss"
        nature::lake, LANDSCAPE;
    "city" "cities, skyline, urban, downtown, architecture, building, street, tower, town, stadt, berlin?, london?, paris?, new \
        york?, tokyo?"
        nature::city, LANDSCAPE;
    "snow" "winter?, ski, skiing, snowboard, snowboarding, ice, frost, sledge, sledging, schnee"
        nature::snow, LANDSCAPE;
    "camping" "camp, tent, campfire, bonfire, scout, bushcraft, zelten"
        nature::camping, LANDSCAPE;
    "sailing" "sail, boat, yacht, regatta, ship, cruise, harbour, harbor, segeln"
        nature::sailing, LANDSCAPE;
    "stars" "star, starry, astronomy, stargazing, constellation, telescope, moon, night sky, milky way, sterne, night?"
        nature::stars, Kind::At(Hour::Night);
    "fireworks" "firework, new year, new years, nye, silvester"
        life::fireworks, Kind::At(Hour::Night);
    "sea at sunset" "sunset?, sunrise?, dawn?, dusk?, golden hour?, evening?"
        nature::sunset, Kind::At(Hour::Sunset);
    "theatre" "theater, drama, stage, curtain, opera, musical, cabaret, improv, impro, comedy, play?, show?, kabarett"
        nature::theatre, THING;
    "microphone" "singing, sing, singer, karaoke, choir, vocal, rap, hip hop, hiphop, open mic, stand up, podcast, radio, chor, \
        concert?, gig?, konzert?"
        music::microphone, THING;
    "jazz" "saxophone, sax, swing, blues, big band, soul, funk, brass, trumpet"
        music::saxophone, THING;
    "guitar" "rock, folk, acoustic, country music, songwriter, indie, metal, punk, ukulele, gitarre, band?"
        music::guitar, THING;
    "piano" "pianist, keyboard music, keys, recital, klavier, organ"
        music::piano, THING;
    "vinyl" "record, records, dj, techno, house music, electronic, electro, turntable, rave, hi fi"
        music::record, THING;
    "disco" "disco ball, nightclub, clubbing, eighties, seventies, dance party, party?, club?"
        music::disco, THING;
    "violin" "orchestra, symphony, classical, chamber music, cello, string quartet, fiddle, philharmonic, geige"
        music::violin, THING;
    "drums" "drum, drumming, drummer, percussion, samba"
        music::drums, THING;
    "music" "song, melody, tune, jam session, musik, music?, musician, festival?"
        music::notes, THING;
    "dance" "dancing, dancer, ballet, tango, salsa, waltz, flamenco, bachata, ballroom, tanz, tanzen"
        music::dance, THING;
    "running" "run, runner, marathon, half marathon, jog, jogging, sprint, athletics, race?, laufen, lauf, sport?"
        sport::running, THING;
    "cycling" "bike, bicycle, cyclist, biking, cycle, velo, fahrrad, radtour"
        sport::cycling, THING;
    "yoga" "meditation, meditate, mindfulness, pilates, breathwork, wellness, relaxation, tai chi, spa, retreat?"
        sport::yoga, THING;
    "swimming" "swim, swimmer, pool, aqua, water polo, triathlon, schwimmen"
        sport::swimming, THING;
    "football" "soccer, futsal, goal, world cup, fussball, match?, game?"
        sport::football, THING;
    "basketball" "hoops, streetball, nba, netball"
        sport::basketball, THING;
    "tennis" "padel, badminton, squash, racket, pickleball"
        sport::tennis, THING;
    "table tennis" "ping pong, pingpong, tischtennis"
        sport::table_tennis, THING;
    "climbing" "climb, climber, boulder, bouldering, rock climbing, via ferrata, klettern, bouldern"
        sport::climbing, THING;
    "skateboarding" "skate, skateboard, skater, skating, longboard, inline skating"
        sport::skateboard, THING;
    "fitness" "gym, workout, crossfit, weightlifting, dumbbell, strength, hiit, bootcamp, training?"
        sport::fitness, THING;
    "golf" "minigolf, mini golf, putting"
        sport::golf, THING;
    "coffee" "cafe, espresso, latte, cappuccino, barista, kaffee, breakfast, cup?"
        food::coffee, THING;
    "tea" "teapot, matcha, chai, tea time, tee"
        food::tea, THING;
    "beer" "brewery, brewing, pub, ale, oktoberfest, bier, craft beer, stammtisch, drinks?"
        food::beer, THING;
    "wine" "vineyard, winery, wine tasting, champagne, prosecco, wein, tasting?"
        food::wine, THING;
    "cocktail" "bar, aperitif, aperitivo, gin, rum, whisky, whiskey, mixology, happy hour, after work"
        food::cocktail, THING;
    "cooking" "cook, kitchen, chef, cookery, recipe, soup, kochen, curry, food?, essen?"
        food::cooking, THING;
    "cake" "baking, bake, pastry, patisserie, dessert, chocolate, cupcake, cookie, backen, kuchen"
        food::cake, THING;
    "bread" "sourdough, bakery, baker, loaf, brot, grain"
        food::bread, THING;
    "pizza" "italian, pizzeria, slice"
        food::pizza, THING;
    "dinner" "restaurant, supper, brunch, lunch, dining, gala, banquet, meal, tapas, abendessen"
        food::dinner, THING;
    "barbecue" "bbq, grill, grilling, cookout, steak, burger, grillen"
        food::barbecue, THING;
    "ice cream" "gelato, sundae, eis"
        food::ice_cream, THING;
    "noodles" "ramen, noodle, sushi, pho, japanese food, dumpling, asian food, wok, pasta"
        food::noodles, THING;
    "fruit" "apple, vegan, vegetarian, vegetable, healthy food, nutrition, harvest, orchard, smoothie, farm"
        food::fruit, THING;
    "painting" "paint, painter, drawing, draw, watercolour, watercolor, sketch, sketching, illustration, malen, art?, artist?, \
        gallery?, kunst?"
        craft::painting, THING;
    "photography" "photo, photograph, photographer, camera, foto, fotografie"
        craft::photography, THING;
    "books" "book, reading, read, reader, literature, library, novel, bookshop, book club, fiction, lesen, buch"
        craft::books, THING;
    "writing" "write, writer, poetry, poem, poet, author, journalism, calligraphy, letterpress, blog, essay, slam"
        craft::writing, THING;
    "pottery" "ceramic, ceramics, clay, vase, sculpture, toepfern, keramik"
        craft::pottery, THING;
    "knitting" "knit, crochet, yarn, wool, weaving, stricken"
        craft::knitting, THING;
    "sewing" "sew, needle, thread, textile, fashion, quilting, embroidery, tailor, naehen"
        craft::sewing, THING;
    "tools" "repair, diy, woodwork, woodworking, carpentry, maker, fix, hammer, build, construction, engineering, crafting, \
        craft?, workshop?"
        craft::tools, THING;
    "board games" "board game, dice, tabletop, role playing, roleplaying, dungeons, game night, spieleabend, catan"
        craft::dice, THING;
    "chess" "schach, checkmate, grandmaster, ajedrez, echecs"
        craft::chess, THING;
    "video games" "video game, gaming, gamer, esports, e sports, arcade, console, lan party, retro games"
        craft::gamepad, THING;
    "film" "movie, cinema, screening, documentary, short film, kino, video, tv"
        craft::film, THING;
    "museum" "exhibition, history, antique, heritage, monument, ancient, law, archaeology, democracy, vernissage"
        craft::museum, THING;
    "circus" "acrobat, acrobatics, juggling, clown, magic, magician, fair, carnival, funfair, zirkus"
        craft::circus, THING;
    "code" "coding, programming, programmer, software, developer, hackathon, javascript, python, web, computer, laptop, linux, \
        open source, devops, cyber, security, tech?, it?"
        mind::code, THING;
    "robot" "robotics, ai, artificial intelligence, machine learning, chatbot, llm, automation, deep learning"
        mind::robot, THING;
    "rocket" "startup, start up, founder, launch, pitch, entrepreneur, entrepreneurship, gruender"
        mind::rocket, THING;
    "data" "chart, statistics, analytics, finance, invest, investing, investment, economy, economics, growth, trading, sales, \
        marketing, stock, crypto"
        mind::chart, THING;
    "idea" "ideas, innovation, brainstorming, brainstorm, creativity, design thinking, quiz, trivia, puzzle, inspiration, ux, \
        design?"
        mind::idea, THING;
    "conversation" "language, debate, discussion, dialogue, chat, english, spanish, french, german, exchange, interview, talk?, \
        meeting?, q and a, sprache"
        mind::talk, THING;
    "conference" "lecture, keynote, speaker, speech, presentation, summit meeting, seminar, toastmasters, panel, symposium, vortrag, \
        talks, webinar?"
        mind::stage, THING;
    "science" "chemistry, laboratory, lab, experiment, biology, physics, research, wissenschaft"
        mind::science, THING;
    "space" "planet, universe, galaxy, astronaut, cosmos, orbit, science fiction, sci fi, mars, saturn"
        mind::space, THING;
    "graduation" "school, education, university, college, student, learning, course, study, academy, alumni, schule, class?, kurs?"
        mind::school, THING;
    "people" "community, networking, friend, friends, social, team, meet up, neighbours, neighbors, women, singles, volunteer, \
        volunteering, meetup?, group?"
        mind::people, THING;
    "travel" "flight, plane, airplane, aviation, airport, trip, holiday, tourism, backpacking, reise"
        mind::plane, THING;
    "world" "globe, global, international, earth, geography, europe, culture, united nations, map, erasmus"
        mind::globe, THING;
    "business" "career, job, jobs, office, coworking, work, leadership, management, recruiting, hiring, freelance, freelancer, \
        karriere"
        mind::business, THING;
    "announcement" "megaphone, protest, demonstration, campaign, politics, election, activism, rally, strike, union, demo"
        mind::megaphone, THING;
    "love" "heart, valentine, valentines, dating, romance, romantic, charity, fundraiser, donation, liebe, speed dating"
        life::love, THING;
    "wedding" "ring, marriage, engagement, bride, groom, hochzeit"
        life::wedding, THING;
    "birthday" "balloon, celebration, anniversary, jubilee, baby shower, geburtstag, celebrate, surprise party, housewarming"
        life::birthday, THING;
    "christmas" "xmas, advent, santa, christmas market, weihnachten, noel, carol"
        life::christmas, THING;
    "halloween" "pumpkin, spooky, ghost, horror, autumn?, fall?, kuerbis, thanksgiving"
        life::halloween, THING;
    "kite" "kid, kids, child, children, family, families, playground, toddler, wind, kinder, familie"
        life::kite, THING;
    "dog" "puppy, puppies, pet, canine, hund"
        life::dog, THING;
    "cat" "kitten, cats, feline, katze, animal?"
        life::cat, THING;
    "birds" "bird, birding, birdwatching, songbird, ornithology, owl, wildlife, vogel, zoo"
        life::bird, THING;
    "crab" "rust, rustlang, ferris, seafood, shellfish, lobster, crustacean"
        life::crab, THING;
    "health" "medicine, medical, doctor, hospital, first aid, blood donation, nurse, care, pharmacy, gesundheit"
        life::health, THING;
    "candle" "memorial, prayer, church, worship, faith, spiritual, vigil, hygge, peace, religion, kerze, gospel"
        life::candle, THING;
    "climate" "sustainability, sustainable, environment, green, ecology, plant, planting, seed, recycling, zero waste, cleanup, \
        clean up, permaculture, klima"
        life::climate, THING;
    "market" "flea market, bazaar, street food, stall, shopping, shop, farmers market, flohmarkt, markt, swap"
        life::market, THING;
    "home" "house, housing, neighbourhood, neighborhood, real estate, open house, moving, village, living, haus, interior"
        life::house, THING;
    "garden" "gardening, flower, spring?, botanic, botanical, bloom, blossom, rose, tulip, floral, garten, blumen, picnic"
        life::garden, THING;
};

const THING: Kind = Kind::Thing;
const LANDSCAPE: Kind = Kind::Landscape;

/// The hours of landscapes, and the words for them.
const HOURS: &[(Hour, &str)] = &[
    (
        Hour::Sunset,
        "sunset, sunrise, dawn, dusk, golden hour, evening, sundown, sonnenuntergang, abend",
    ),
    (
        Hour::Night,
        "night, midnight, moonlight, moonlit, nightlife, dark, nacht",
    ),
    (
        Hour::Day,
        "day, daylight, morning, noon, afternoon, sunny, tag",
    ),
];

/// Where a text names a topic. Ordered by what matters: certain before weak words, long expressions before short ones, earlier words
/// before later ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Mention {
    is_weak: bool,
    shortness: usize,
    place: usize,
    /// In [`TOPICS`].
    topic: usize,
}

impl Mention {
    fn words(&self) -> Range<usize> {
        self.place..self.place + MAX_EXPRESSION - self.shortness
    }
}

/// The topics that these words name, the one that matters most first.
pub(super) fn find(words: &str) -> Vec<&'static Topic> {
    let text = tokens(words);
    let mut mentions: Vec<Mention> = TOPICS
        .iter()
        .enumerate()
        .flat_map(|(index, topic)| mentions(&text, index, topic))
        .collect();
    mentions.sort();
    let is_certain = mentions.first().is_some_and(|first| !first.is_weak);
    let mut chosen: Vec<Mention> = Vec::new();
    for mention in mentions {
        // "Table tennis" is not tennis, and a topic counts once.
        let is_taken = |other: &Mention| {
            let (own, others) = (mention.words(), other.words());
            other.topic == mention.topic || (own.start < others.end && others.start < own.end)
        };
        if !(chosen.iter().any(is_taken) || is_certain && mention.is_weak) {
            chosen.push(mention);
        }
    }
    let topics = chosen
        .iter()
        .filter_map(|mention| TOPICS.get(mention.topic));
    topics.collect()
}

fn mentions(text: &[String], index: usize, topic: &'static Topic) -> impl Iterator<Item = Mention> {
    let names = std::iter::once(topic.name).chain(topic.words.split(", "));
    names.filter_map(move |name| {
        let (name, is_weak) = name
            .strip_suffix('?')
            .map_or((name, false), |name| (name, true));
        Some(Mention {
            is_weak,
            shortness: MAX_EXPRESSION.saturating_sub(name.split(' ').count()),
            place: place(text, name)?,
            topic: index,
        })
    })
}

/// The hour that these words name.
pub(super) fn hour(words: &str) -> Option<Hour> {
    let text = tokens(words);
    let named = |names: &str| names.split(", ").any(|name| place(&text, name).is_some());
    let found = HOURS.iter().find(|(_, names)| named(names));
    found.map(|(hour, _)| *hour)
}

/// Lower case, without accents or punctuation.
fn tokens(words: &str) -> Vec<String> {
    let plain = any_ascii::any_ascii(words).to_lowercase();
    let tokens = plain.split(|character: char| !character.is_ascii_alphanumeric());
    let tokens = tokens.filter(|token| !token.is_empty());
    tokens.map(str::to_owned).collect()
}

/// Where in the text an expression stands, in the singular or plural.
fn place(text: &[String], expression: &str) -> Option<usize> {
    let expression: Vec<&str> = expression.split(' ').collect();
    let is_there = |window: &[String]| {
        let mut pairs = window.iter().zip(&expression);
        pairs.all(|(token, word)| is_word(token, word))
    };
    text.windows(expression.len()).position(is_there)
}

fn is_word(token: &str, word: &str) -> bool {
    token == word || token.strip_suffix('s') == Some(word) || token.strip_suffix("es") == Some(word)
}
