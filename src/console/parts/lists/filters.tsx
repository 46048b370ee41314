/** Filters of a list in its address: words, and the days between which its entries are. */
import type { ComponentChildren } from "preact";
import { place, refine } from "../../route.ts";
import { labelOf } from "../../text/labels.ts";

const days = ["since", "until"] as const;

/** Parameters of the list in the address, as its route takes them. */
export function filtersOfPlace(words: readonly string[]): string {
  const query = new URLSearchParams({ limit: "200" });
  for (const name of [...words, ...days]) {
    const value = place.value.query.get(name);
    if (value) query.set(name, value);
  }
  return query.toString();
}

/** @param children what stands between words and days */
export function Filters({ words, children }: { words: readonly string[]; children?: ComponentChildren }) {
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
      {words.map((name) => (
        <input
          key={name}
          aria-label={labelOf(name)}
          placeholder={labelOf(name)}
          value={place.value.query.get(name) ?? ""}
          onChange={(event) => refine({ [name]: event.currentTarget.value.trim() })}
        />
      ))}
      {children}
      <div class="filters">
        {days.map((name) => (
          <label key={name}>
            {name}{" "}
            <input
              type="date"
              value={place.value.query.get(name) ?? ""}
              onChange={(event) => refine({ [name]: event.currentTarget.value })}
            />
          </label>
        ))}
      </div>
    </form>
  );
}
