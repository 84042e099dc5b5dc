// Share out the urgent bugs that are nobody's, and book a meeting for each.
interface Issue { id: number; title: string; priority: "urgent" | "high" | "low"; assignee: string | null }

const { issues } = await tools.mcp__tracker__list_issues({ filter: { status: "open", labels: ["bug"] } });
const orphans = (issues as Issue[]).filter((i) => i.priority === "urgent" && i.assignee === null);
console.log(`${issues.length} open bugs, ${orphans.length} of them urgent and nobody's`);

// Holidays and chart do not depend on each other.
const [holidays] = await Promise.all([
  tools.mcp__calendar__sync_holidays({}),
  tools.mcp__tracker__burndown_chart({}), // the picture goes to the model, not to the script
]);

// Whoever has the least to do gets the next one.
const load: Record<string, number> = { ines: 0, mira: 0, tomas: 0 };
for (const { assignee } of issues as Issue[]) if (assignee) load[assignee]++;

const plan: Array<{ issue: number; owner: string; meeting: string }> = [];
for (const issue of orphans) {
  const [owner] = Object.keys(load).sort((a, b) => load[a] - load[b]);
  load[owner] += 2; // an urgent one weighs more
  await tools.mcp__tracker__assign_issue({ id: issue.id, assignee: owner });
  const { slots } = await tools.mcp__calendar__find_slots({
    attendees: [owner, "mira"],
    window: { from: "2030-03-04", to: "2030-03-08" },
  });
  const meeting = await tools["mcp__calendar__book-meeting"]({
    title: issue.title,
    attendees: [owner, "mira"],
    slot: slots[0],
    reminders: [{ minutesBefore: 15, by: "popup" }],
  });
  plan.push({ issue: issue.id, owner, meeting });
}

let archived = true;
try {
  await tools.mcp__tracker__archive_issue({ id: 107 });
} catch (e) {
  archived = false;
  console.log("107 stays:", (e as Error).message);
}

return { plan, holidays, archived };
