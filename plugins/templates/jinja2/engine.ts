/** The Jinja2 engine: compiles a template once and renders it many times. */

import type { TemplateEngine, TemplateKit } from "patchbay/plugin";
import * as v from "valibot";
import { fileNameHint, looksLikeFileName } from "../file-name.ts";
import { Environment } from "./environment.ts";
import { argsSchema } from "./options.ts";
import { Shelf } from "./shelf.ts";

export default function createEngine(kit: TemplateKit): TemplateEngine {
  const shelf = new Shelf();
  return {
    compile(source, args) {
      const environment = new Environment(source, v.parse(argsSchema, args ?? {}), kit, shelf);
      const warnings = [
        ...environment.warnings,
        ...(looksLikeFileName(source) ? [fileNameHint(source)] : []),
      ];
      return {
        ...(warnings.length === 0 ? {} : { warnings }),
        run: (input, ctx) => environment.render(input, ctx.warn),
      };
    },
  };
}
