/** Raw texts of many members of one JSON text; shared path prefixes are scanned once. */
import { elementSpans, memberSpan, type Span, wholeSpan } from "./json.ts";

/** Like `rawMember` of that text. */
export type RawMembers = (path: readonly (string | number)[]) => string | undefined;

/** A value of the text and the members found in it so far. */
interface Known {
  readonly span: Span;
  readonly members: Map<string | number, Known | undefined>;
  elements?: readonly Span[];
}

export function createRawMembers(text: string): RawMembers {
  const root = createKnown(wholeSpan(text));

  function below(place: Known, step: string | number): Known | undefined {
    if (place.members.has(step)) return place.members.get(step);
    const span = typeof step === "string" ? memberSpan(text, place.span, step) : elementsOf(place)[step];
    const member = span && createKnown(span);
    place.members.set(step, member);
    return member;
  }

  function elementsOf(place: Known): readonly Span[] {
    place.elements ??= elementSpans(text, place.span);
    return place.elements;
  }

  return (path) => {
    let place: Known | undefined = root;
    for (const step of path) place = place && below(place, step);
    return place && text.slice(place.span.from, place.span.to);
  };
}

const createKnown = (span: Span): Known => ({ span, members: new Map() });
