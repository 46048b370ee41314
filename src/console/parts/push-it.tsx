/** Pushes what a dry run has shown: what was typed for it is in the form again, and is asked about once more. */
import { typedFor } from "../carried.ts";
import { may } from "../reading/api.ts";
import { go } from "../route.ts";
import { text } from "../text/text.ts";

/** Only where the dry run was typed: the memory of this page has what is secret in it, the service does not tell it. */
export function PushIt({ id, ended }: { readonly id: string; readonly ended: boolean }) {
  if (!ended || !may("operate") || typedFor(id) === undefined) return null;
  return (
    <button type="button" onClick={() => go(["run"], { push: id })}>
      {text.run.pushIt}
    </button>
  );
}
