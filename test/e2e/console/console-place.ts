/** A place in the console that shows untrusted text, and how to build responses for it. */

/** Responses of the API by path. */
export type Answers = Readonly<Record<string, Answered>>;
type Answered =
  | { readonly data: unknown; readonly warnings?: readonly string[] }
  | { readonly refused: unknown; readonly message: string }
  | { readonly events: readonly (readonly [name: string, data: unknown])[] };

/** Makes the hostile text of a place, labelled with its name. */
export type Hostile = (place: string) => string;

export interface View {
  /** The part after `#`. */
  readonly address: string;
  /** Distinguishes places of the same page. */
  readonly because?: string;
  /** Each place shows its own text. */
  readonly places: readonly string[];
  readonly answers: (hostile: Hostile) => Answers;
  /** A button to press first. */
  readonly press?: string;
  /** The places are inside a collapsed list. */
  readonly folded?: true;
}

export const at = "2026-01-31T08:00:00+00:00";

export const one = (data: object): { data: unknown } => ({ data: [data] });

/** A view with a single table, with hostile text in each of these fields. */
export function table(address: string, path: string, record: object, fields: readonly string[]): View {
  return {
    address,
    places: fields,
    answers: (hostile) => ({ [path]: one({ ...record, ...filled(record, fields, hostile) }) }),
  };
}

/** Puts one item into each list. */
export function filled(record: object, fields: readonly string[], hostile: Hostile): object {
  const isList = new Set(
    Object.entries(record).flatMap(([name, value]) => (Array.isArray(value) ? [name] : [])),
  );
  return Object.fromEntries(
    fields.map((field) => [field, isList.has(field) ? [hostile(field)] : hostile(field)]),
  );
}
