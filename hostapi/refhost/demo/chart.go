package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// burndown draws one bar for each day, as a PNG.
func burndown(open []int) ([]byte, error) {
	const bar, gap, unit, height = 12, 4, 10, 110
	paper := color.RGBA{250, 250, 248, 255}
	ink := color.RGBA{62, 99, 221, 255}
	img := image.NewRGBA(image.Rect(0, 0, gap+len(open)*(bar+gap), height))
	draw.Draw(img, img.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	for day, n := range open {
		x := gap + day*(bar+gap)
		draw.Draw(img, image.Rect(x, height-n*unit, x+bar, height), image.NewUniform(ink), image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	err := png.Encode(&out, img)
	return out.Bytes(), err
}
