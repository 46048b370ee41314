/** A button that saves a generated text as a file. */
export function Save({ name, type, make }: { name: string; type: string; make: () => string }) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([make()], { type }));
    const link = document.createElement("a");
    link.href = address;
    link.download = name.replace(/[^\w.-]+/g, "-").slice(0, 80);
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <button type="button" class="quiet" onClick={save}>
      CSV
    </button>
  );
}
