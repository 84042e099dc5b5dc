//go:build !race

package lockdown

const raceDetector = false
