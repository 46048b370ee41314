/** The Jinja2 cases; contexts are passed as JSON text. */
import { readCases } from "../../plugins/templates/jinja2/test/corpus.ts";
import { type Asker, each, judge, type Outcome } from "./ask.ts";

export function rendered(asker: Asker, width: number): Promise<Outcome[]> {
  return each(readCases(), width, async ({ id, source, env, templates, globals, name, ...one }) => {
    const more = { templates, globals, name };
    // The cases have no extensions by default; the service enables `do` and `loopcontrols`.
    const args = { extensions: [], ...env, ...more };
    const answer = await asker.render({ template: source, contextJson: one.contextJson, args });
    return judge(id, answer, one.error !== undefined, (data) => data === one.expected);
  });
}
