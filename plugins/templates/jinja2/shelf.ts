/** Compiled templates of files: whoever includes one, from whichever template, has it compiled once. */
import { LRUCache } from "lru-cache";
import { SharedKeys } from "../python/json.ts";
import type { Options } from "./options.ts";
import type { Template } from "./runtime.ts";

const mostTemplates = 2_000;
/** Of their texts; a compiled template takes about twenty times the room. */
const mostChars = 2 * 1024 * 1024;
const mostLanguages = 100;

export class Shelf {
  /** Contexts of all templates are read with the same keys: a place in a shared template meets the shapes it knows. */
  readonly keys = new SharedKeys();
  private readonly compiled = new LRUCache<string, { readonly text: string; readonly template: Template }>({
    max: mostTemplates,
    maxSize: mostChars,
    sizeCalculation: ({ text }, key) => text.length + key.length,
  });
  private readonly languages = new LRUCache<string, number>({ max: mostLanguages });
  private languagesSeen = 0;

  /** Templates that are written in the same language have the same number. */
  language(options: Options): number {
    const key = JSON.stringify(options);
    let known = this.languages.get(key);
    if (known === undefined) {
      known = ++this.languagesSeen;
      this.languages.set(key, known);
    }
    return known;
  }

  /** Texts of files are the very same string as long as the file is the same: comparing them costs nothing. */
  template(language: number, name: string, text: string, compile: () => Template): Template {
    const key = `${language} ${name}`;
    const known = this.compiled.get(key);
    if (known?.text === text) return known.template;
    const template = compile();
    this.compiled.set(key, { text, template });
    return template;
  }
}
