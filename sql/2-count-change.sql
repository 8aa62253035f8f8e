-- How a count changed: the ratio of two rates a day, now over before, as a struct of `estimate`, `low` and `high`, the ends of
-- its 95 % interval, `p`, and `verdict`: `fewer` or `more`, see change_verdict. The score test of two Poisson rates, with the variance times the figure's own dispersion and t
-- for its degrees of freedom; where there are few, the exact conditional test too, and the larger p of both. Of counts that
-- begin at none the ratio is infinite. Null when nothing was counted on either side. Source: Przyborowski and Wilenski 1940,
-- Biometrika 31, 313-323; McCullagh and Nelder, section 6.2.3; the interval is Wilson's of the share that fell into now.
-- columns:
-- count_now: events of the period in question
-- days_now: its length in days
-- count_before: events of the period it is compared with
-- days_before: its length in days
-- dispersion: count_dispersion of the weeks of both
create or replace macro count_change(count_now, days_now, count_before, days_before, dispersion) as
  list_transform(
    list_transform(
      [{
        'now': count_now,
        'all': count_now + count_before,
        'share': days_now / (days_now + days_before),
        'phi': dispersion.phi,
        'df': dispersion.df,
        'interval': wilson_interval(count_now, count_now + count_before, z := t95(dispersion.df) * sqrt(dispersion.phi))
      }],
      lambda given: case
        when given."all" > 0 and given.share > 0 and given.share < 1 and given.df >= 1 then struct_pack(
          estimate := given.now / (given."all" - given.now) * (1 - given.share) / given.share,
          low := given.interval.low / (1 - given.interval.low) * (1 - given.share) / given.share,
          -- The interval of all of them ends at 1, but for the last digit.
          high := if(given.now = given."all", 'infinity'::double, given.interval.high / (1 - given.interval.high) * (1 - given.share) / given.share),
          p := greatest(
            student_p(
              (given.now - given."all" * given.share) / sqrt(given.phi * given."all" * given.share * (1 - given.share)),
              given.df
            ),
            coalesce(binomial_p(given.now, given."all", given.share), 0)
          )
        )
      end
    ),
    lambda found: case
      when found.p is not null then struct_pack(
        estimate := found.estimate,
        low := found.low,
        high := found.high,
        p := found.p,
        verdict := change_verdict(
          found.p, sign(found.estimate - 1), found.low > 1 or found.high < 1, found.low >= 0.75 and found.high <= 4 / 3, 'fewer', 'more'
        )
      )
    end
  )[1]
