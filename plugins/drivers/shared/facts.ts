/** What a device says of itself, by the names that the inventory keeps. */
import type { FactsQuery } from "patchbay/plugin";

/** The query of a driver whose devices are of one kind, or say themselves what they are. */
export const ownFacts =
  (kind: string) =>
  (platform: string | null): FactsQuery => ({
    command: "facts",
    platform: platform ?? kind,
    structured: true,
    ownOnly: true,
  });

const names = ["hostname", "vendor", "model", "version", "serial", "os"] as const;
type Fact = (typeof names)[number];
export type Facts = { readonly [name in Fact]?: string };
/** What one of several models says; an empty text says nothing. */
export type SaidFacts = { readonly [name in Fact]?: string | undefined };

const longest = 256;

/** @returns of each fact what the first that says it says */
export function factsOf(said: readonly SaidFacts[]): Facts {
  const facts: Partial<Record<Fact, string>> = {};
  for (const name of names) {
    const text = said.map((one) => one[name]).find((one) => one !== undefined && one !== "");
    if (text !== undefined) facts[name] = text.slice(0, longest);
  }
  return facts;
}
