/** HTML escaping as in MarkupSafe. */

const SPECIAL = /[&<>'"]/;
const EACH_SPECIAL = /[&<>'"]/g;
const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;",
};

export function escapeHtml(text: string): string {
  return SPECIAL.test(text) ? text.replace(EACH_SPECIAL, (char) => ENTITIES[char] ?? char) : text;
}
