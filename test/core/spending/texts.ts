/**
 * Texts of every kind that prompts are made of, made here from a seed: those that people write, which an estimate has to
 * come close to, and those that are hard on tokenizers, which it must not fall below.
 */
export interface Sample {
  kind: string;
  text: string;
}

type Pick = <T>(from: ArrayLike<T>) => T;

/** Numbers that look random and are the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Begun again for each list of texts: what a list holds depends on nothing that was made before. */
let random = seeded(7);
const pick: Pick = (from) => {
  const found = from[random(from.length)];
  if (found === undefined) throw new Error('there is nothing to pick from');
  return found;
};

function times(count: number, make: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join('');
}

const SUBJECTS = [
  'the committee',
  'a customer',
  'our engineers',
  'the old town hall',
  'every hospital in the region',
  'my grandmother',
  'the migration',
  'one of the auditors',
  'the weather station',
  'nobody on the night shift',
];
const VERBS = [
  'postponed',
  'had quietly rewritten',
  'could not explain',
  'measures',
  'will probably replace',
  'did not understand',
  'recommended against',
  'is still waiting for',
  'wrote about',
  'simplified',
  'asked us about',
  'paid for',
];
const OBJECTS = [
  'the quarterly report',
  'an unusually warm winter',
  'what the contract said about refunds',
  'three letters from the bank',
  'the harbour bridge',
  'a handful of bicycles',
  'the throughput of the queue',
  'its neighbour’s garden',
  'the experimental results',
  'most of the furniture',
  'a recipe for dinner',
  'the price of electricity',
];
const ENDS = [
  '.',
  '.',
  ', although it rained.',
  '; nobody objected.',
  ' (see below).',
  ' in 2019.',
  '?',
  ' before noon.',
];

function sentence(): string {
  const text = `${pick(SUBJECTS)} ${pick(VERBS)} ${pick(OBJECTS)}${pick(ENDS)}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function prose(sentences: number): string {
  return times(sentences, (index) => sentence() + (index % 5 === 4 ? '\n\n' : ' '));
}

const NOUNS = [
  'user',
  'order',
  'request',
  'buffer',
  'index',
  'handler',
  'token',
  'session',
  'price',
  'branch',
];
const noun = () => pick(NOUNS);
const Noun = () => noun().replace(/^./, (letter) => letter.toUpperCase());

const typescript = () => `/** Finds the ${noun()} of a ${noun()}, or nothing. */
export async function find${Noun()}(${noun()}s: readonly ${Noun()}[], limit = ${random(500)}): Promise<string[]> {
  const found = ${noun()}s.filter(({ id, name }) => name !== undefined && id > limit);
  if (found.length === 0) throw new Error(\`no ${noun()} above \${limit}\`);
  return Promise.all(found.map((${noun()}) => store.read('${noun()}/' + ${noun()}.id, { retry: true })));
}

`;
const python = () => `class ${Noun()}${Noun()}(Base${Noun()}):
    """Keeps each ${noun()} until its ${noun()} is done."""

    def __init__(self, ${noun()}, *, timeout=${random(90)}.5):
        self._${noun()} = ${noun()} or {}
        for key, value in self._${noun()}.items():
            if not isinstance(value, (int, float)):
                raise ValueError(f"bad ${noun()}: {key!r}")

`;
const go =
  () => `func (s *${Noun()}Server) Get${Noun()}(ctx context.Context, req *pb.${Noun()}) (*pb.${Noun()}, error) {
\tif err := s.db.QueryRowContext(ctx, "SELECT id, name FROM ${noun()}s WHERE id = $1", req.Id).Scan(&out); err != nil {
\t\treturn nil, fmt.Errorf("get ${noun()} %d: %w", req.Id, err)
\t}
\treturn &out, nil
}

`;
const rust = () => `impl<'a, T: Clone + Send> ${Noun()}<'a, T> {
    pub fn push_${noun()}(&mut self, ${noun()}: T) -> Result<usize, ${Noun()}Error> {
        let len = self.${noun()}s.len();
        if len >= ${random(4096)} { return Err(${Noun()}Error::Full(len)); }
        self.${noun()}s.push(${noun()});
        Ok(len + 1)
    }
}

`;
const sql = () => `SELECT u.id, count(*) AS ${noun()}_count, max(o.created_at)
FROM ${noun()}s u LEFT JOIN ${noun()}s o ON o.${noun()}_id = u.id
WHERE u.deleted_at IS NULL AND o.total > ${random(900)}.00 GROUP BY u.id ORDER BY 2 DESC LIMIT 50;
`;
const shell = () => `for file in "$dir"/*.log; do
  grep -c "${noun()}" "$file" | awk '{ sum += $1 } END { print sum }' >> "/tmp/${noun()}.txt" || exit 1
done
`;
const html = () =>
  `<div class="${noun()}-list"><a href="/${noun()}s/${random(99)}?sort=${noun()}">${Noun()}</a></div>\n`;
const markdown = () => `## ${Noun()}s and ${noun()}s

- **${Noun()}**: ${sentence()} See [the guide](docs/${noun()}.md).
- \`${noun()}_${noun()}\` is ${random(100)} % of \`${noun()}\`.

`;
const record = () => ({
  id: random(100_000),
  name: `${Noun()} ${Noun()}`,
  tags: [noun(), noun()],
  active: random(2) === 1,
  createdAt: `20${10 + random(20)}-0${1 + random(9)}-1${random(10)}T0${random(10)}:${10 + random(50)}:00Z`,
  [noun()]: { total: random(10_000) / 100, note: null },
});

/** The usual prompts: English, code and data, of about `size` characters. */
export function ordinaryTexts(size: number): Sample[] {
  random = seeded(size);
  const filled = (make: () => string) => {
    let text = '';
    while (text.length < size) text += make();
    return text;
  };
  return [
    { kind: 'English', text: filled(() => prose(5)) },
    { kind: 'Markdown', text: filled(markdown) },
    { kind: 'TypeScript', text: filled(typescript) },
    { kind: 'Python', text: filled(python) },
    { kind: 'Go', text: filled(go) },
    { kind: 'Rust', text: filled(rust) },
    { kind: 'SQL', text: filled(sql) },
    { kind: 'a shell script', text: filled(shell) },
    { kind: 'HTML', text: filled(html) },
    { kind: 'JSON', text: filled(() => JSON.stringify(record(), null, 2)) },
    { kind: 'English about code', text: filled(() => prose(6) + typescript()) },
  ];
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
const letters = (count: number) => times(count, () => pick(LOWER));
const between = (from: number, to: number) => String.fromCodePoint(from + random(to - from));
const bytes = Buffer.from(Array.from({ length: 3_000 }, () => random(256)));

/** Texts that are hard on a tokenizer. */
export function hardTexts(): Sample[] {
  random = seeded(7);
  return [
    { kind: 'minified JSON', text: JSON.stringify(Array.from({ length: 60 }, record)) },
    { kind: 'numbers', text: times(800, () => `${random(10 ** random(9))} `) },
    { kind: 'single digits', text: times(800, () => `${random(10)} `) },
    { kind: 'CSV', text: times(300, () => `${random(1e6)},${random(99)}.${random(99)},${noun()}\r\n`) },
    { kind: 'base64', text: bytes.toString('base64') },
    { kind: 'hex', text: bytes.toString('hex') },
    { kind: 'hex in capitals', text: bytes.toString('hex').toUpperCase() },
    { kind: 'UUIDs', text: times(90, () => `${bytes.toString('hex', random(2_900)).slice(0, 36)}\n`) },
    { kind: 'random letters', text: letters(3_000) },
    { kind: 'random capitals', text: letters(3_000).toUpperCase() },
    { kind: 'random letters of both cases', text: times(3_000, () => pick(LOWER + LOWER.toUpperCase())) },
    ...[1, 2, 3, 4, 6, 9].map((length) => ({
      kind: `random words of ${length}`,
      text: times(800, () => `${letters(length)} `),
    })),
    { kind: 'words without blanks', text: times(800, () => `${noun()}${pick(OBJECTS).replaceAll(' ', '')}`) },
    { kind: 'names in camel case', text: times(400, () => `${noun()}${Noun()}${Noun()}\n`) },
    { kind: 'names in capitals', text: times(400, () => `${noun()}_${noun()}_${noun()} `).toUpperCase() },
    { kind: 'random punctuation', text: times(3_000, () => pick(PUNCTUATION)) },
    { kind: 'punctuation and blanks', text: times(2_000, () => `${pick(PUNCTUATION)} `) },
    { kind: 'random ASCII', text: times(3_000, () => between(32, 127)) },
    { kind: 'control characters', text: times(2_000, () => between(0, 32)) },
    { kind: 'random blanks', text: times(3_000, () => pick(' \n\t\r')) },
    ...[' ', '\t', '\n', '\r\n', ' \n', '\n  ', 'a', 'z', '-', '=', '0', '!', '字', 'é', '🙂'].map(
      (repeated) => ({
        kind: `repeated ${JSON.stringify(repeated)}`,
        text: repeated.repeat(2_000),
      }),
    ),
    { kind: 'deep indentation', text: times(400, () => `\n${' '.repeat(random(70))}${noun()}`) },
    { kind: 'blanks in columns', text: times(800, () => noun() + ' '.repeat(random(9))) },
    { kind: 'words by line', text: times(800, () => `${noun()}\n`) },
    {
      kind: 'German',
      text: 'Der Ausschuss verschob die Prüfung der größten Brücken übers Jahr. '.repeat(40),
    },
    {
      kind: 'Polish',
      text: 'Żółw pożyczył książkę o łąkach, ale źle ją przechowywał w piwnicy. '.repeat(40),
    },
    {
      kind: 'Turkish',
      text: 'Öğrenciler bütün gün kütüphanede çalıştıkları için yorulmuşlardı. '.repeat(40),
    },
    {
      kind: 'Vietnamese',
      text: 'Những người hàng xóm đã trồng rất nhiều cây ăn quả trong vườn. '.repeat(40),
    },
    {
      kind: 'Russian',
      text: 'Комиссия отложила проверку самых больших мостов до следующей весны. '.repeat(40),
    },
    { kind: 'Greek', text: 'Η επιτροπή ανέβαλε τον έλεγχο των γεφυρών για την επόμενη άνοιξη. '.repeat(40) },
    { kind: 'Arabic', text: 'أجلت اللجنة فحص الجسور الكبيرة حتى الربيع القادم بسبب الأمطار. '.repeat(40) },
    { kind: 'Hebrew', text: 'הוועדה דחתה את בדיקת הגשרים הגדולים עד האביב הבא. '.repeat(40) },
    { kind: 'Hindi', text: 'समिति ने बड़े पुलों की जाँच अगले वसंत तक टाल दी। '.repeat(40) },
    { kind: 'Thai', text: 'คณะกรรมการเลื่อนการตรวจสอบสะพานขนาดใหญ่ออกไป '.repeat(40) },
    { kind: 'Chinese', text: '委员会把大型桥梁的检查推迟到明年春天,没有人反对。'.repeat(40) },
    { kind: 'Japanese', text: '委員会は大きな橋の点検を来年の春まで延期しました。'.repeat(40) },
    { kind: 'Korean', text: '위원회는 큰 다리의 점검을 내년 봄까지 미루었습니다. '.repeat(40) },
    { kind: 'random Cyrillic', text: times(2_000, () => between(0x400, 0x460)) },
    { kind: 'random Greek', text: times(2_000, () => between(0x391, 0x3ca)) },
    { kind: 'random Arabic', text: times(2_000, () => between(0x620, 0x64b)) },
    { kind: 'random Hebrew', text: times(2_000, () => between(0x5d0, 0x5eb)) },
    { kind: 'random Latin letters', text: times(2_000, () => between(0xa0, 0x250)) },
    { kind: 'random two bytes', text: times(2_000, () => between(0x80, 0x800)) },
    { kind: 'random Hangul', text: times(1_500, () => between(0xac00, 0xd7a4)) },
    { kind: 'random Chinese', text: times(1_500, () => between(0x4e00, 0x9fa6)) },
    { kind: 'random characters', text: times(1_500, () => between(0x800, 0xd800)) },
    { kind: 'emoji', text: times(1_000, () => between(0x1f300, 0x1f650)) },
    { kind: 'rare characters', text: times(700, () => between(0x10000, 0x30000)) },
    { kind: 'families of emoji', text: '👩‍👩‍👧‍👦🏳️‍🌈👍🏽'.repeat(100) },
    { kind: 'a diagram', text: '┌──────┬───┐\n│ name │ n │\n└──────┴───┘\n'.repeat(30) },
    { kind: 'accents on words', text: times(800, () => `${noun()}${pick('éèüßñçåøãõ')}${noun()} `) },
  ];
}
