/** The body of a role from the fields of its form, and back. */
import type { Role } from "../../shapes/access.ts";

/** Lines of a text, without blanks around them and empty ones. */
export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** As PUT /role/{name} takes it, with the name beside. */
export function roleOf(fields: FormData): { readonly name: string; readonly body: Record<string, unknown> } {
  const word = (name: string) => String(fields.get(name) ?? "").trim();
  const lines = (name: string) => linesOf(word(name));
  return {
    name: word("name"),
    body: {
      position: Number(word("position")),
      scope: word("scope"),
      groups: lines("groups"),
      subjects: lines("subjects"),
      issuer: word("issuer") || null,
      hosts: lines("hosts"),
      credentials: fields.get("named") === null ? null : lines("credentials"),
      rights: fields.getAll("rights").map(String),
      recipes: fields.get("listed") === null ? null : lines("recipes"),
    },
  };
}

/** What the form of a new role begins with. */
export const newRole: Pick<
  Role,
  | "name"
  | "position"
  | "scope"
  | "groups"
  | "subjects"
  | "issuer"
  | "hosts"
  | "credentials"
  | "rights"
  | "recipes"
> = {
  ...{ name: "", position: 100, scope: "read", groups: [], subjects: [], issuer: null },
  ...{ hosts: [], credentials: null, rights: [], recipes: null },
};
