//go:build race

package lockdown

const raceDetector = true
