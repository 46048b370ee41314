/** The Jinja2 engine: compiles a template once and renders it many times. */
import * as v from "valibot";
import { type EngineHost, hostOf, type TemplateEngine } from "../python/index.ts";
import { argsSchema } from "./args.ts";
import { Environment } from "./environment.ts";
import { Shelf } from "./shelf.ts";

export function createEngine(given: Partial<EngineHost> = {}): TemplateEngine {
  const host = hostOf(given);
  const shelf = new Shelf();
  return {
    compile(source, args) {
      const environment = new Environment(source, v.parse(argsSchema, args ?? {}), host, shelf);
      const { warnings } = environment;
      return {
        ...(warnings.length === 0 ? {} : { warnings }),
        run: (input, ctx) => environment.render(input, ctx?.warn),
      };
    },
  };
}
