package worker

import (
	"strings"

	"github.com/dop251/goja"
)

// table prints an array or object of rows as aligned columns; anything else as log does.
func (c *console) table(args []goja.Value) {
	if len(args) == 0 {
		return
	}
	data, ok := args[0].(*goja.Object)
	if !ok {
		c.print(args)
		return
	}
	t := table{index: map[string]int{}, columns: []string{"(index)"}}
	in := inspector{realm: c.engine.realm, budget: c.limit*4 + 1<<12}
	for _, key := range data.Keys() {
		cells := map[string]string{"(index)": key}
		row, isObject := in.own(data, key).(*goja.Object)
		if !isObject {
			t.add(cells, "Values", in.memberText(data, c.engine.vm.ToValue(key)))
		} else {
			for _, column := range row.Keys() {
				t.add(cells, column, in.memberText(row, c.engine.vm.ToValue(column)))
			}
		}
		t.rows = append(t.rows, cells)
		if len(t.rows) == inspectItems {
			break
		}
	}
	c.line(t.String())
}

type table struct {
	columns []string
	index   map[string]int
	rows    []map[string]string
}

func (t *table) add(cells map[string]string, column, text string) {
	if _, ok := t.index[column]; !ok {
		t.index[column] = len(t.columns)
		t.columns = append(t.columns, column)
	}
	cells[column] = text
}

func (t *table) String() string {
	widths := make([]int, len(t.columns))
	for i, column := range t.columns {
		widths[i] = utf16Len(column)
		for _, row := range t.rows {
			widths[i] = max(widths[i], utf16Len(row[column]))
		}
	}
	var b strings.Builder
	line := func(cell func(column string) string) {
		parts := make([]string, len(t.columns))
		for i, column := range t.columns {
			text := cell(column)
			parts[i] = text + strings.Repeat(" ", widths[i]-utf16Len(text))
		}
		b.WriteString(strings.TrimRight(strings.Join(parts, " | "), " "))
		b.WriteByte('\n')
	}
	line(func(column string) string { return column })
	for i := range widths {
		if i > 0 {
			b.WriteString("-|-")
		}
		b.WriteString(strings.Repeat("-", widths[i]))
	}
	b.WriteByte('\n')
	for _, row := range t.rows {
		line(func(column string) string { return row[column] })
	}
	return strings.TrimRight(b.String(), "\n")
}
