/** Cache of compiled template files, shared by all templates that include them. */

import { LRUCache } from "lru-cache";
import { SharedKeys } from "../python/index.ts";
import type { Options } from "./options.ts";
import type { Template } from "./run/runtime.ts";

const maxTemplates = 2_000;
/** Total source size; a compiled template takes about twenty times as much memory. */
const maxChars = 2 * 1024 * 1024;
const maxLanguages = 100;

export class Shelf {
  /** Contexts of all templates share their key sets, so inline caches of a shared template stay valid. */
  readonly keys = new SharedKeys();
  private readonly compiled = new LRUCache<string, { readonly text: string; readonly template: Template }>({
    max: maxTemplates,
    maxSize: maxChars,
    sizeCalculation: ({ text }, key) => text.length + key.length,
  });
  private readonly languages = new LRUCache<string, number>({ max: maxLanguages });
  private languagesSeen = 0;

  /** Returns the same number for equal options. */
  language(options: Options): number {
    const key = JSON.stringify(options);
    let id = this.languages.get(key);
    if (id === undefined) {
      id = ++this.languagesSeen;
      this.languages.set(key, id);
    }
    return id;
  }

  /** While a file is unchanged, its text is the identical string, so the comparison is free. */
  template(language: number, name: string, text: string, compile: () => Template): Template {
    const key = `${language} ${name}`;
    const cached = this.compiled.get(key);
    if (cached?.text === text) return cached.template;
    const template = compile();
    this.compiled.set(key, { text, template });
    return template;
  }
}
