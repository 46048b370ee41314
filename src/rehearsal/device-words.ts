/** What is kept of the words of a device: those that its messages are made of. Any other one may be a name or a secret. */
import { isKindOfValue, shapeOf } from "../configlines/shape.ts";

/** Of the messages about lines that systems refuse, from the vendors' documentation. */
const messageWords: ReadonlySet<string> = new Set(
  `a aborted about above access action active added after again allowed already also ambiguous an and another any applied apply
are argument arguments as assigned associated at attribute authorization bad be because been before being belongs between both but by
can cannot change changed changes character characters check command commands commit committed configuration configured conflict conflicts
contains could count create created delete deleted denied depends description detected did different disabled do does done duplicate
duplicated each either enabled end ended entry error errors exceeded exceeds exist existing exists expected expecting failed failure fault
field file first following for format found from given greater had has have if illegal in incomplete incorrect input insufficient internal
invalid is it item its keyword last later least less letters line lines list long malformed marker match matched may maximum message minimum
mismatch missing mode more most must name near necessary need needed needs neither new no non non-existent none not nothing number
object obsolete occurred of old on one only operation option or other out outside over overlap overlaps parameter parameters parse parser
parsing pending permission permitted please position possible previous privilege problem process processed range reached read reason recognized
referenced refused reject rejected remove removed required requires reserved resource result returned route rule same same-name second
section see set should simultaneously since size some specified specify start statement still string such supported syntax system that the their
then there they this time to token too try two type unable undefined unexpected unit unknown unrecognised unrecognized unsupported until up
use used using valid validation value values was were when where which while will with within without word would wrong you
blackhole non-blackhole nexthop nexthops`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

const isKind = (token: string) => token === "<value>" || isKindOfValue(token);
/** Anything else tells of a value: digits, quotes, addresses. */
const plain = /^[^\w<]*([A-Za-z]+(?:-[A-Za-z]+)*)[^\w>]*$/;
const longestWords = 200;

/**
 * The words of a device about a line. Whatever is not a word of messages is one for its kind.
 * @param words of the line
 */
export function sampleOf(text: string, words: readonly string[]): string | null {
  const own = new Set(words);
  const shown = text
    .slice(0, 20 * longestWords)
    .split(/\s+/)
    .map((token) => {
      const bare = token.toLowerCase().replace(/^[^\w]+|[^\w]+$/g, "");
      if (isKind(token) || bare === "") return bare === "" && token.length > 3 ? "<value>" : token;
      if (own.has(bare) || own.has(token.toLowerCase())) return shapeOf(bare).shape || "<word>";
      const word = plain.exec(token)?.[1]?.toLowerCase();
      if (word === undefined) return "<value>";
      return messageWords.has(word) ? token : "<word>";
    })
    .join(" ")
    .trim()
    .slice(0, longestWords)
    // A kind that was cut is none.
    .replace(/<[^>]*$/, "")
    .trim();
  return shown === "" ? null : shown;
}
