/** A field that names a credential instead of a password. */
import * as v from "valibot";
import { ask, may, reachesAll } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { credential } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

/** Suggests names of stored credentials to keys that may see them; any key may enter one. */
export function Credential() {
  const sees = may("admin") && reachesAll();
  const { data = [] } = useLoad(
    async (signal) => (sees ? ask(v.array(credential), "/credential", { signal }) : []),
    [sees],
  );
  return (
    <div>
      <label for="credential" title={text.credentialField}>
        credential
      </label>
      <input
        id="credential"
        name="credential"
        placeholder="in place of a password"
        autocomplete="off"
        list="credential-names"
      />
      <datalist id="credential-names">
        {data.map(({ source, ref, fields }) => (
          <option key={`${source}:${ref}`} value={`${source}:${ref}`} label={fields.join(", ")} />
        ))}
      </datalist>
    </div>
  );
}
