/** Discovery: queries inventory devices for their platform and facts; results appear as they arrive. */
import { Credential } from "../../parts/forms/credential.tsx";
import { Purpose } from "../../parts/forms/purpose.tsx";
import { Selected } from "../../parts/forms/selected.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ask } from "../../reading/api.ts";
import { useDoing } from "../../reading/doing.ts";
import { go } from "../../route.ts";
import { bulkAnswer } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";
import { discoverOf } from "./discover-form.ts";
import { Discovered } from "./discovered.tsx";
import { changesInventory } from "./inventory-lists.tsx";

export function DiscoverPage({ id }: { id: string }) {
  return id === "" ? <DiscoverForm /> : <Discovered id={id} />;
}

function DiscoverForm() {
  const { error, working, submits } = useDoing();
  const submit = submits(async (said) => {
    const body = discoverOf(said);
    const newBulk = await ask(bulkAnswer, "/inventory/discover", { method: "POST", body });
    go(["discover", newBulk.bulk_id]);
  });
  return (
    <>
      <h1>{text.nav.discover}</h1>
      <p class="faint">{text.discover.hint}</p>
      <form class="run" onSubmit={submit} autocomplete="off">
        <Selected />
        <div class="fields">
          <Count name="limit" />
          <Count name="sample" />
          <Credential />
          <label>
            username
            <input name="username" autocomplete="off" placeholder={text.inventory.driver} />
          </label>
          <label>
            password
            <input name="password" type="password" autocomplete="new-password" />
          </label>
        </div>
        <details>
          <summary>More request options</summary>
          <div class="fields">
            <Count name="concurrency" />
            <Count name="max_failures" />
            <Purpose />
          </div>
        </details>
        {changesInventory() && (
          <p>
            <label class="choice">
              <input type="checkbox" name="apply" /> {text.discover.apply}
            </label>
          </p>
        )}
        <button type="submit" disabled={working}>
          {text.discover.ask}
        </button>
        <Problem error={error} />
      </form>
    </>
  );
}

function Count({ name }: { name: keyof typeof text.discover.fields }) {
  return (
    <label>
      {text.discover.fields[name]}
      <input name={name} inputMode="numeric" autocomplete="off" />
    </label>
  );
}
