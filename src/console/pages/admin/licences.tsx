/** The licences of all parts of the program. */

import * as v from "valibot";
import { Pre } from "../../parts/pre.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ask } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { licence } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

export function LicencesPage() {
  const { data, error } = useLoad((signal) => ask(v.array(licence), "/licenses", { signal }), []);
  return (
    <>
      <h1>{text.nav.licences}</h1>
      <Problem error={error} />
      {data?.length === 0 && <p class="empty">{text.licencesHint}</p>}
      {data?.map(({ title, text: words }) => (
        <details key={title}>
          <summary>{title}</summary>
          <Pre>{words}</Pre>
        </details>
      ))}
    </>
  );
}
