// Which runs a reader wants to see: words, and conditions on keys.

const CONDITION = /^([\w.-]+)(<=|>=|!=|=|<|>)(.*)$/;

function holds(value, operator, wanted) {
  if (operator === "=" || operator === "!=") {
    const equal = value != null && String(value).toLowerCase() === wanted.toLowerCase();
    return equal === (operator === "=");
  }
  const left = Number(value);
  const right = Number(wanted);
  if (value == null || Number.isNaN(left) || Number.isNaN(right)) {
    return false;
  }
  return operator === "<" ? left < right : operator === ">" ? left > right : operator === "<=" ? left <= right : left >= right;
}

/** A test of runs: `model=gcn valid>0.8 wordnet` are three conditions that all must hold. */
export function filter(text) {
  const conditions = text
    .split(/\s+/)
    .filter((word) => word)
    .map((word) => {
      const parts = CONDITION.exec(word);
      if (parts) {
        return (run) => holds(parts[1] === "state" ? run.state : run.values[parts[1]], parts[2], parts[3]);
      }
      const wanted = word.toLowerCase();
      return (run) =>
        run.id.toLowerCase().includes(wanted) ||
        run.state === wanted ||
        Object.values(run.values).some((value) => String(value).toLowerCase().includes(wanted));
    });
  return (run) => conditions.every((condition) => condition(run));
}
