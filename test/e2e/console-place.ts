/** What a place of the console is that shows texts of somebody else, and how answers are made for it. */

/** By path: what the API answers there. */
export type Answers = Readonly<Record<string, Answered>>;
type Answered =
  | { readonly data: unknown; readonly warnings?: readonly string[] }
  | { readonly refused: unknown; readonly message: string }
  | { readonly events: readonly (readonly [name: string, data: unknown])[] };

/** Makes the hostile text of a place, which is told by its name. */
export type Hostile = (place: string) => string;

export interface View {
  /** Behind the `#`. */
  readonly address: string;
  /** What it is shown for, where there are several. */
  readonly because?: string;
  /** Each shows the text of its own. */
  readonly places: readonly string[];
  readonly answers: (hostile: Hostile) => Answers;
  /** A button that is pressed first. */
  readonly press?: string;
  /** They stand in a list that is not open. */
  readonly folded?: true;
}

export const at = "2026-01-31T08:00:00+00:00";

export const one = (data: object): { data: unknown } => ({ data: [data] });

/** A view that is one table, with a hostile text in each of these fields. */
export function table(address: string, path: string, record: object, fields: readonly string[]): View {
  return {
    address,
    places: fields,
    answers: (hostile) => ({ [path]: one({ ...record, ...filled(record, fields, hostile) }) }),
  };
}

/** A list holds one. */
export function filled(record: object, fields: readonly string[], hostile: Hostile): object {
  const isList = new Set(
    Object.entries(record).flatMap(([name, value]) => (Array.isArray(value) ? [name] : [])),
  );
  return Object.fromEntries(
    fields.map((field) => [field, isList.has(field) ? [hostile(field)] : hostile(field)]),
  );
}
