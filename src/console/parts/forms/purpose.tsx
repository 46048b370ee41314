/** Form fields for the purpose of a request. */
export function Purpose({ label, ticket }: { label?: string | undefined; ticket?: string | undefined }) {
  return (
    <>
      <label>
        label
        <input name="label" maxLength={200} defaultValue={label ?? ""} />
      </label>
      <label>
        ticket
        <input name="ticket" maxLength={100} defaultValue={ticket ?? ""} />
      </label>
    </>
  );
}
