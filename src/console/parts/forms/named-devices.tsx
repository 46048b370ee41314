/** Names of inventory devices, typed or found by a part of the name. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { page } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { entry } from "../../shapes/inventory.ts";
import { text } from "../../text/text.ts";
import { Problem } from "../problem.tsx";

const maxFound = 12;
/** Debounce: typing on cancels the request. */
const restMs = 300;

/** @param props.name of the field with the names */
export function NamedDevices({ name, initial }: { name: string; initial: readonly string[] }) {
  const [names, setNames] = useState(initial.join("\n"));
  const [part, setPart] = useState("");
  // What else a selector could mean is no part of a name.
  const sought = part.replaceAll(/["\s]/g, "");
  const { data, error } = useLoad(
    async (signal) => {
      if (sought === "") return undefined;
      await new Promise((rested) => setTimeout(rested, restMs));
      signal.throwIfAborted();
      const query = new URLSearchParams({ select: `name:*${sought}*`, limit: String(maxFound) });
      const found = await page(v.array(entry), `/inventory/device?${query}`, { signal });
      return { sought, total: found.total ?? found.data.length, devices: found.data };
    },
    [sought],
  );
  const chosen = new Set(names.split(/[\s,]+/));
  const found = data?.sought === sought ? data : undefined;
  return (
    <div>
      <label>
        {text.schedules.devices}
        <textarea
          name={name}
          rows={2}
          spellcheck={false}
          placeholder={"sw1\nsw2"}
          value={names}
          onInput={(event) => setNames(event.currentTarget.value)}
        />
      </label>
      <input
        class="wide"
        aria-label={text.change.form.find}
        placeholder={text.change.form.find}
        spellcheck={false}
        value={part}
        onInput={(event) => setPart(event.currentTarget.value)}
      />
      {sought !== "" && <Problem error={error} />}
      <p class="tags" role="status">
        {found && (
          <>
            <strong>{text.change.devices(found.total)}</strong>
            {found.devices.map((one) => (
              <button
                key={one.name}
                type="button"
                class="quiet"
                disabled={chosen.has(one.name)}
                onClick={() => setNames(`${names.trimEnd()}\n${one.name}`.trimStart())}
              >
                {one.name}
              </button>
            ))}
            {found.total > found.devices.length && "…"}
          </>
        )}
      </p>
    </div>
  );
}
