/**
 * V8's start-up snapshots as they lie in the program of a Node: its own, which isolated-vm's isolates start from, and Node's. The
 * form is that of V8 14.6, `src/snapshot/snapshot.cc` and `read-only-serializer.cc`, without pointer compression.
 */

const WORD = 8;
/** Number of contexts, whether hashes can be made anew, two checksums. */
const BEFORE_VERSION = 16;
const VERSION_BYTES = 64;
/** Before the data of each part: a magic number and the length. */
const PART_HEADER = 8;

/** Steps of the text that V8 makes its read-only objects from. */
const STEP = { page: 0, segment: 2, slots: 3, roots: 4, end: 5 } as const;
const PADDING = 0x0a;

interface Segment {
  readonly page: number;
  readonly offset: number;
  readonly bytes: Buffer;
  /** A bit for each word: it is a reference to another read-only object. */
  readonly slots: Buffer;
}

/** The read-only part of a snapshot. */
export interface ReadOnlyPart {
  /** Sizes of its pages. */
  readonly pages: readonly number[];
  readonly segments: readonly Segment[];
  /** References to the objects that V8 knows by number. */
  readonly roots: Buffer;
  /** The number that the next function of an isolate gets. */
  readonly nextFunction: number;
}

/** Snapshots in a program, each with its contexts counted: V8's own has one, Node's several. */
export function snapshotsIn(program: Buffer, v8: string): { contexts: number; part: ReadOnlyPart }[] {
  const version = Buffer.alloc(VERSION_BYTES);
  version.write(v8);
  const found: { contexts: number; part: ReadOnlyPart }[] = [];
  for (let at = program.indexOf(version); at >= 0; at = program.indexOf(version, at + 1)) {
    const start = at - BEFORE_VERSION;
    const contexts = program.readUInt32LE(start);
    const [from, to] = [0, 4].map((more) => program.readUInt32LE(at + VERSION_BYTES + more)) as [number, number];
    found.push({ contexts, part: readOnlyPart(program.subarray(start + from + PART_HEADER, start + to)) });
  }
  return found;
}

function readOnlyPart(text: Buffer): ReadOnlyPart {
  let at = 0;
  const bytes = (count: number): Buffer => {
    at += count;
    return text.subarray(at - count, at);
  };
  /** A number of up to 30 bits: the two lowest bits of its first byte count the others. */
  const number = (): number => {
    const read = bytes(((text[at] ?? 0) & 3) + 1);
    return read.readUIntLE(0, read.length) >>> 2;
  };
  const pages: number[] = [];
  const segments: Segment[] = [];
  for (;;) {
    const step = bytes(1)[0];
    if (step === STEP.page) pages[number()] = number();
    else if (step === STEP.segment) {
      const [page, offset, size] = [number(), number(), number()];
      const contents = bytes(size);
      if (bytes(1)[0] !== STEP.slots) throw new Error(`no slots of a segment at ${at}`);
      segments.push({ page, offset, bytes: contents, slots: bytes(Math.ceil(size / WORD / 8)) });
    } else if (step === STEP.roots) {
      const start = at;
      // One reference after another, how many is not said.
      for (let end = start; end < text.length; end += 4) {
        at = end + 1;
        if (text[end] !== STEP.end) continue;
        const nextFunction = number();
        if (text.subarray(at).every((byte) => byte === PADDING))
          return { pages, segments, roots: text.subarray(start, end), nextFunction };
      }
      throw new Error("no end of the roots");
    } else throw new Error(`an unknown step ${step} at ${at}`);
  }
}

/** A page begins with this many bytes of its own. */
const PAGE_HEADER = 16;
/** Where a map says what its objects are, and the last kind of them that is a name: strings and symbols. */
const KIND_AT = 12;
const LAST_NAME = 128;

/** Where two parts of the same form differ, but not in a reference: 8 bytes of a segment. */
interface Place {
  readonly segment: Segment;
  readonly word: number;
}

/**
 * What differs in the read-only objects of two snapshots, where it matters to an isolate of one of them in a process of the
 * other. V8 makes three things anew when it reads such a part: all but the lower half of a reference, the hash of each name, and the
 * seed of these hashes.
 */
export function differences(own: ReadOnlyPart, other: ReadOnlyPart): string[] {
  const found: string[] = [];
  if (own.pages.join() !== other.pages.join()) found.push("the pages");
  if (!own.roots.equals(other.roots)) found.push("the roots");
  const formOf = ({ segments }: ReadOnlyPart): string =>
    segments
      .map(({ page, offset, bytes, slots }) => [page, offset, bytes.length, slots.toString("hex")].join())
      .join("\n");
  if (formOf(own) !== formOf(other)) return [...found, "the segments"];
  const unlike: Place[] = [];
  for (const [at, segment] of own.segments.entries()) {
    const theirs = other.segments[at]?.bytes as Buffer;
    for (let word = 0; word * WORD < segment.bytes.length; word++) {
      const [low, high] = [0, 4].map((half) => halfOf(segment.bytes, word, half) === halfOf(theirs, word, half));
      if (isReference(segment, word) ? low : low && high) continue;
      if (!isReference(segment, word) && high && isNameAt(own, segment, word - 1)) continue;
      unlike.push({ segment, word });
    }
  }
  return unlike.length === 0 || isSeed(unlike)
    ? found
    : [...found, ...unlike.map(({ segment, word }) => `${segment.page}: ${segment.offset + word * WORD}`)];
}

const halfOf = (bytes: Buffer, word: number, half: number): number => bytes.readUInt32LE(word * WORD + half);

/** A word of a segment is a reference to another read-only object. */
export const isReference = ({ slots }: Segment, word: number): boolean =>
  (((slots[word >> 3] ?? 0) >> (word & 7)) & 1) === 1;

/** An object that begins here is a name: its map says so. A reference is a page, in 14 bits, and a number of words. */
function isNameAt({ segments }: ReadOnlyPart, segment: Segment, word: number): boolean {
  if (!isReference(segment, word)) return false;
  const reference = halfOf(segment.bytes, word, 0);
  const [page, at] = [reference & 0x3fff, (reference >>> 14) * WORD - PAGE_HEADER];
  const map = segments.find((one) => one.page === page && at >= one.offset && at < one.offset + one.bytes.length);
  return map !== undefined && map.bytes.readUInt16LE(at - map.offset + KIND_AT) <= LAST_NAME;
}

/** Of the seed, which is an array of bytes. */
const SEED_WORDS = 7;

/** Whether these places are the contents of the seed, which has a map and its length before it. */
function isSeed(places: readonly Place[]): boolean {
  const [first] = places;
  if (!first || places.length !== SEED_WORDS) return false;
  const { segment, word } = first;
  const isRun = places.every((place, at) => place.segment === segment && place.word === word + at);
  return isRun && isReference(segment, word - 2) && halfOf(segment.bytes, word - 1, 4) === SEED_WORDS * WORD;
}
